#include "rltrace_timers.h"

#include <pthread.h>
#include <string.h>
#if defined(__linux__)
#include <malloc.h>
#endif

#include "core_foundation.h"
#include "rltrace_clock.h"
#include "rltrace_vocabulary.h"

long rlt_due_offset = -1;

static void no_callout(void *timer, void *info) {
  (void)timer;
  (void)info;
}

// Returns the offset of the due point in a timer that is due in [earliest, latest], with an interval that no other
// field can equal. Exactly one field must match each; otherwise returns -1.
static long find_due_offset(const void *timer, double interval, uint64_t earliest_ns, uint64_t latest_ns) {
#if defined(__linux__)
  enum { FIRST_FIELD = 16, LAST_FIELD = 512 };
  // Never reads past the timer's allocation.
  size_t size = malloc_usable_size((void *)timer);
  if (size > LAST_FIELD) size = LAST_FIELD;
  int intervals = 0, times = 0;
  long offset = -1;
  for (size_t at = FIRST_FIELD; at + 8 <= size; at += 8) {
    uint64_t word;
    memcpy(&word, (const char *)timer + at, sizeof word);
    if (memcmp(&word, &interval, sizeof interval) == 0) intervals += 1;
    if (word >= earliest_ns && word <= latest_ns) {
      times += 1;
      offset = (long)at;
    }
  }
  return intervals == 1 && times == 1 ? offset : -1;
#else
  // Not tried on Apple systems.
  (void)timer; (void)interval; (void)earliest_ns; (void)latest_ns;
  return -1;
#endif
}

static void learn(void) {
  const double interval = 7654321.0625, seconds = 1000;
  const uint64_t ahead_ns = 1000 * UINT64_C(1000000000);
  // The date is a double with the precision of a microsecond.
  const uint64_t tolerance_ns = 1000000;
  uint64_t earliest = rlt_monotonic_ns() + ahead_ns;
  double date = RLT_CF(CFAbsoluteTimeGetCurrent)() + seconds;
  void *timer = RLT_CF(CFRunLoopTimerCreate)(NULL, date, interval, 0, 0, no_callout, NULL);
  uint64_t latest = rlt_monotonic_ns() + ahead_ns;
  if (timer == NULL) return;
  rlt_due_offset = find_due_offset(timer, interval, earliest - tolerance_ns, latest + tolerance_ns);
  RLT_CF(CFRelease)(timer);
}

int rlt_learn_timers(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, learn);
  return rlt_due_offset >= 0;
}

const char *rlt_due_points(void) { return rlt_learn_timers() ? "exact" : "from wall-clock fire dates"; }

uint64_t rlt_due_by_date_ns(void *timer) {
  double ahead = RLT_CF(CFRunLoopTimerGetNextFireDate)(timer) - RLT_CF(CFAbsoluteTimeGetCurrent)();
  double due = (double)rlt_monotonic_ns() + ahead * 1e9;
  return due > 0 ? (uint64_t)due : 0;
}

uint64_t rlt_due_of_date_ns(double date) {
  uint64_t now = rlt_monotonic_ns();
  double ahead = date - RLT_CF(CFAbsoluteTimeGetCurrent)();
  // This also rejects NaN.
  if (!(ahead > 0)) return now;
  return now + (uint64_t)((ahead < RLT_LONGEST_SECONDS ? ahead : RLT_LONGEST_SECONDS) * 1e9);
}

uint64_t rlt_interval_ns(double seconds) {
  if (!(seconds > 0)) return 0;
  double ns = (seconds < RLT_LONGEST_SECONDS ? seconds : RLT_LONGEST_SECONDS) * 1e9;
  uint64_t whole = (uint64_t)ns;
  return whole + (ns - (double)whole >= 0.5);
}
