// Only a parent learns from the system which signal ended its child. It notes the signal for the recorder.
#include "waits.h"

#include "settings.h"
#include "symbols.h"

static int missing(void) {
  errno = ENOSYS;
  return -1;
}

// `call` calls the program's own function as `real`, and stores the status at `at`.
#define WAITS(name, parameters, call) \
  static __typeof__(&name) real_##name(void) { return RLP_REAL(__typeof__(&name), name); } \
  RLP_EXPORT pid_t name parameters { \
    __typeof__(&name) real = real_##name(); \
    if (real == NULL) return missing(); \
    int own = 0, *at = status != NULL ? status : &own; \
    pid_t process = call; \
    if (process > 0 && WIFSIGNALED(*at)) rlp_note_killed(process, WTERMSIG(*at)); \
    return process; \
  }

WAITS(wait, (int *status), real(at))
WAITS(waitpid, (pid_t wanted, int *status, int options), real(wanted, at, options))
WAITS(wait3, (int *status, int options, struct rusage *usage), real(at, options, usage))
WAITS(wait4, (pid_t wanted, int *status, int options, struct rusage *usage), real(wanted, at, options, usage))

RLP_EXPORT int waitid(idtype_t kind, id_t wanted, siginfo_t *info, int options) {
  RLP_FIND_REAL(waitid, missing());
  int result = real(kind, wanted, info, options);
  if (result == 0 && info != NULL && info->si_signo == SIGCHLD
      && (info->si_code == CLD_KILLED || info->si_code == CLD_DUMPED))
    rlp_note_killed(info->si_pid, info->si_status);
  return result;
}

void rlp_find_waits(void) {
  real_wait();
  real_waitpid();
  real_wait3();
  real_wait4();
}
