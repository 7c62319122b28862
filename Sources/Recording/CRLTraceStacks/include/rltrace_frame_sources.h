// The timers that the program declared frame sources. While there are some, the sentinel samples stacks at half the
// shortest of their intervals, so that a late frame has a stack of what made it late.
#ifndef RLTRACE_FRAME_SOURCES_H
#define RLTRACE_FRAME_SOURCES_H

#include <stdint.h>

// Notes that a repeating timer is a frame source. Timers beyond 16 do not change the sampling.
void rlt_follow_frames(uint32_t object, uint64_t interval_ns);

// Forgets a timer that ended. For other objects, it does nothing.
void rlt_forget_frames(uint32_t object);

// Forgets all timers.
void rlt_forget_all_frames(void);

// Returns the shortest interval of all sources, at most 4.29 s; 0 = there is none.
uint64_t rlt_shortest_frame_ns(void);

#endif
