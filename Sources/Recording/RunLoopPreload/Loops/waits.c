// Only a parent learns from the system which signal ended its child. It notes the signal for the recorder.
#include "interposing.h"
#include "settings.h"

// `call` calls the program's own function as `real`, and stores the status at `at`.
#define WAITS(name, parameters, call) \
  REAL(name) \
  RLP_EXPORT pid_t name parameters { \
    FIND_REAL(name, rlp_missing()); \
    int own = 0, *at = status != NULL ? status : &own; \
    pid_t process = call; \
    if (process > 0 && WIFSIGNALED(*at)) rlp_note_killed(process, WTERMSIG(*at)); \
    return process; \
  }

WAITS(wait, (int *status), real(at))
WAITS(waitpid, (pid_t wanted, int *status, int options), real(wanted, at, options))
WAITS(wait3, (int *status, int options, struct rusage *usage), real(at, options, usage))
WAITS(wait4, (pid_t wanted, int *status, int options, struct rusage *usage), real(wanted, at, options, usage))

REAL(waitid)

RLP_EXPORT int waitid(idtype_t kind, id_t wanted, siginfo_t *info, int options) {
  FIND_REAL(waitid, rlp_missing());
  int result = real(kind, wanted, info, options);
  if (result == 0 && info != NULL && info->si_signo == SIGCHLD
      && (info->si_code == CLD_KILLED || info->si_code == CLD_DUMPED))
    rlp_note_killed(info->si_pid, info->si_status);
  return result;
}
