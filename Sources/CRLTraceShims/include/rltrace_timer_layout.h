// Where a CFRunLoopTimer keeps the monotonic time of its next fire.
#ifndef RLTRACE_TIMER_LAYOUT_H
#define RLTRACE_TIMER_LAYOUT_H

#include <stdint.h>

// CFRunLoopTimerGetNextFireDate answers in wall-clock time, rounded to a double: about 1 microsecond off, and
// moved when the clock is set. The timer itself holds the exact monotonic time (`_fireTSR`, nanoseconds on
// Linux). Its offset is found, not assumed: `timer` is a probe timer with an interval no other field can equal
// and a fire time known to lie in [earliest, latest]; exactly one field must match each.
//
// Returns the offset in bytes, or -1 when the layout is not understood; then the wall-clock date serves.
long rlt_find_fire_time_offset(
    const void *timer, double interval, uint64_t earliest_ns, uint64_t latest_ns);

static inline uint64_t rlt_fire_time_at(const void *timer, long offset) {
  uint64_t value;
  __builtin_memcpy(&value, (const char *)timer + offset, sizeof value);
  return value;
}

#endif
