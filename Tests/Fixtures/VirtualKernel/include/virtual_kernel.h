// A kernel in virtual time under the real CFRunLoop of one thread: clocks, timer descriptors, waiting, and the timers of
// the dispatch library that end runs. Whoever links it has it; every other thread keeps the real kernel.
#ifndef VIRTUAL_KERNEL_H
#define VIRTUAL_KERNEL_H

#include <stdint.h>

// From now on the calling thread's time is virtual. `wall_ns` is the wall clock when the monotonic one is 0.
void vk_begin(uint64_t now_ns, int64_t wall_ns);
// And real again.
void vk_end(void);

// Virtual monotonic time of the calling thread.
uint64_t vk_now(void);

// Lets the time pass; what is due on the way happens in its order.
void vk_advance(uint64_t ns);

// Calls `action(context)` when time reaches `at_ns`: what another thread does. In order of time, then of these calls.
void vk_at(uint64_t at_ns, void (*action)(void *context), void *context);

// The calling thread's world, for another thread to enter while this one waits for it. NULL leaves.
void *vk_world(void);
void vk_enter(void *world);

// Nonzero when the thread had to wait and nothing was to come. Runs are then ended by whoever looks at this.
int vk_waits_forever(void);

#endif
