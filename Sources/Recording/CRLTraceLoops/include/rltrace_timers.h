// The due point and interval of a CFRunLoopTimer, as the trace stores them.
#ifndef RLTRACE_TIMERS_H
#define RLTRACE_TIMERS_H

#include <stdint.h>

// CFRunLoopTimerGetNextFireDate returns wall-clock time, rounded to a double. It is about 1 microsecond off, and it
// changes when the clock is set. The timer itself has the exact monotonic time (`_fireTSR`, nanoseconds on Linux). Its
// offset is found with a probe timer, once per process. Call this before the other functions.
//
// Returns whether the offset was found. Otherwise the wall-clock date is used.
int rlt_learn_timers(void);

// Returns the text in the trace that describes the source of due points.
const char *rlt_due_points(void);

// The offset of the due point in a timer; -1 = not found.
extern long rlt_due_offset;
uint64_t rlt_due_by_date_ns(void *timer);

// Returns the due point in force, on CLOCK_MONOTONIC.
static inline uint64_t rlt_due_ns(void *timer) {
  if (__builtin_expect(rlt_due_offset < 0, 0)) return rlt_due_by_date_ns(timer);
  uint64_t due;
  __builtin_memcpy(&due, (const char *)timer + rlt_due_offset, sizeof due);
  return due;
}

// Returns the due point that CFRunLoopTimerSetNextFireDate gives a timer now, computed by that function's formula. For
// use on a thread other than that of the timer's loop: once the date is set, the loop may fire, and the timer then
// reports its next point.
uint64_t rlt_due_of_date_ns(double date);

// Returns a timer's interval or tolerance in nanoseconds.
uint64_t rlt_interval_ns(double seconds);

#endif
