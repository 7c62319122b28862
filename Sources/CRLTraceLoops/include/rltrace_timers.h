// A CFRunLoopTimer's due point and interval, as the trace has them.
#ifndef RLTRACE_TIMERS_H
#define RLTRACE_TIMERS_H

#include <stdint.h>

// CFRunLoopTimerGetNextFireDate answers in wall-clock time, rounded to a double: about 1 microsecond off, and
// moved when the clock is set. The timer itself holds the exact monotonic time (`_fireTSR`, nanoseconds on
// Linux). Its offset is found, not assumed: with a probe timer, once a process. Before any other of these is called.
//
// Whether it was found; else the wall-clock date serves.
int rlt_learn_timers(void);

// What the trace says about its due points.
const char *rlt_due_points(void);

// -1 = not found.
extern long rlt_due_offset;
uint64_t rlt_due_by_date_ns(void *timer);

// The due point in force, on CLOCK_MONOTONIC.
static inline uint64_t rlt_due_ns(void *timer) {
  if (__builtin_expect(rlt_due_offset < 0, 0)) return rlt_due_by_date_ns(timer);
  uint64_t due;
  __builtin_memcpy(&due, (const char *)timer + rlt_due_offset, sizeof due);
  return due;
}

// The due point that CFRunLoopTimerSetNextFireDate gives a timer now, computed by its own formula. For use on a thread
// that is not the thread of the timer's loop: once the date is set, the loop may fire, and the timer then reports its
// next point.
uint64_t rlt_due_of_date_ns(double date);

// A timer's interval or tolerance.
uint64_t rlt_interval_ns(double seconds);

#endif
