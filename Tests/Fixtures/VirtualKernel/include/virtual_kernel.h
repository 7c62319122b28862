// A kernel in virtual time for the real CFRunLoop of one thread: clocks, timer descriptors, waiting, and the dispatch
// timers that end runs. It applies to programs that link it. All other threads keep the real kernel.
#ifndef VIRTUAL_KERNEL_H
#define VIRTUAL_KERNEL_H

#include <stdint.h>

// Begins virtual time on the calling thread. `wall_ns` is the wall clock when the monotonic clock is 0.
void vk_begin(uint64_t now_ns, int64_t wall_ns);
// Returns to real time.
void vk_end(void);

// Returns the virtual monotonic time of the calling thread.
uint64_t vk_now(void);

// Advances the time. Everything that is due on the way happens in order.
void vk_advance(uint64_t ns);

// Calls `action(context)` when the time reaches `at_ns`, as another thread would. Calls happen in time order,
// then in the order of registration.
void vk_at(uint64_t at_ns, void (*action)(void *context), void *context);

// Returns the world of the calling thread. Another thread may enter it while this one waits. Entering NULL leaves it.
void *vk_world(void);
void vk_enter(void *world);

// Returns nonzero when the thread had to wait but nothing was pending. The caller then ends the runs.
int vk_waits_forever(void);

#endif
