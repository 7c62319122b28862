// Sleep for the recorder's threads, which other threads can end early.
#ifndef RLTRACE_REST_H
#define RLTRACE_REST_H

#include <stdint.h>

// Returns the number of calls of rlt_wake so far. A thread reads it, checks its conditions, and rests.
uint32_t rlt_wakes(void);

// Sleeps for the given time, UINT64_MAX = without a limit. Returns at once if rlt_wake was called since `wakes` was
// read, and may return early.
void rlt_rest(uint32_t wakes, uint64_t ns);

// Wakes all threads that rest. May be called by a signal handler on Linux.
void rlt_wake(void);

#endif
