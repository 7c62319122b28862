#include "rltrace_timer_layout.h"

#if defined(__linux__)
#include <malloc.h>
#endif
#include <string.h>

enum { FIRST_FIELD = 16, LAST_FIELD = 512 };

long rlt_find_fire_time_offset(
    const void *timer, double interval, uint64_t earliest_ns, uint64_t latest_ns) {
#if defined(__linux__)
  // Never reads past the allocation the timer lives in.
  size_t size = malloc_usable_size((void *)timer);
  if (size > LAST_FIELD) size = LAST_FIELD;
  int intervals = 0, times = 0;
  long offset = -1;
  for (size_t at = FIRST_FIELD; at + 8 <= size; at += 8) {
    uint64_t word;
    memcpy(&word, (const char *)timer + at, sizeof word);
    if (memcmp((const char *)timer + at, &interval, sizeof interval) == 0) intervals += 1;
    if (word >= earliest_ns && word <= latest_ns) {
      times += 1;
      offset = (long)at;
    }
  }
  return intervals == 1 && times == 1 ? offset : -1;
#else
  // Not tried on Apple systems: CFRunLoopTimerGetNextFireDate serves there.
  (void)timer; (void)interval; (void)earliest_ns; (void)latest_ns;
  return -1;
#endif
}
