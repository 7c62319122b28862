#include "dispatch_time.h"

#include "symbols.h"

// dispatch_time_t stores a monotonic time as a value that counts up, and a wall-clock time as a negative value that
// counts down. Dispatch is asked for the current values of both. Swift's Task.sleep uses times that also count while the
// system sleeps: they count up, and have the highest bit. No function returns their current value.
uint64_t rlp_dispatch_time_ns(uint64_t when) {
  __auto_type time = RLP_REAL(uint64_t (*)(uint64_t, int64_t), dispatch_time);
  __auto_type wall_time = RLP_REAL(uint64_t (*)(const struct timespec *, int64_t), dispatch_walltime);
  if (time == NULL || wall_time == NULL) return 0;
  enum { CLOCK_BITS = 62, BOOT_TIME = 2, SAME_NS = 1000000 };
  uint64_t now = time(0, 0), wall_now = wall_time(NULL, 0), monotonic_now = rlt_monotonic_ns();
  int is_ours = when >> CLOCK_BITS == now >> CLOCK_BITS;
  int64_t delay = is_ours                                        ? (int64_t)(when - now)
                  : when >> CLOCK_BITS == wall_now >> CLOCK_BITS ? (int64_t)(wall_now - when)
                  : when >> CLOCK_BITS == BOOT_TIME ? (int64_t)(when - (1ull << 63) - rlt_boottime_ns())
                                                    : 0;
  if (delay <= 0) return 0;
  // On Linux it is the same clock, and the value is used as it is.
  return is_ours && monotonic_now - now < SAME_NS ? when : monotonic_now + (uint64_t)delay;
}
