// The program filters its system calls. The system may kill it for a call that only this library makes. So no event
// loop begins from then on, and some calls are left out.
#include <sys/prctl.h>

#include "interposing.h"

// Notes that a filter is about to be installed. Returns whether there was one.
static int begin_filter(void) { return __atomic_exchange_n(&rlt_calls_are_filtered, 1, __ATOMIC_RELAXED); }

static void end_filter(int had_filter, int result) {
  if (result != 0) __atomic_store_n(&rlt_calls_are_filtered, had_filter, __ATOMIC_RELAXED);
}

REAL(prctl)

RLP_EXPORT int prctl(int option, ...) {
  FIND_REAL(prctl, rlp_missing());
  unsigned long values[4];
  va_list rest;
  va_start(rest, option);
  for (int i = 0; i < 4; i++) values[i] = va_arg(rest, unsigned long);
  va_end(rest);
  if (option != PR_SET_SECCOMP) return real(option, values[0], values[1], values[2], values[3]);
  int had_filter = begin_filter(), result = real(option, values[0], values[1], values[2], values[3]);
  end_filter(had_filter, result);
  return result;
}

// The function of libseccomp that makes the system call seccomp(2), for which the C library has none.
RLP_EXPORT int seccomp_load(void *filter);

REAL(seccomp_load)

RLP_EXPORT int seccomp_load(void *filter) {
  FIND_REAL(seccomp_load, -ENOSYS);
  int had_filter = begin_filter(), result = real(filter);
  end_filter(had_filter, result);
  return result;
}
