#include "crashes.h"

#include "interposing.h"

static int is_crashing;

// The crash handler of Swift's runtime runs with all signals blocked except the crash signals.
static int is_in_crash_handler(void) {
  static const int blocked[] = {SIGHUP, SIGINT, SIGTERM, SIGALRM, SIGCHLD, SIGUSR1, SIGUSR2, SIGPROF};
  static const int of_crashes[] = {SIGSEGV, SIGILL, SIGFPE, SIGTRAP};
  sigset_t now;
  if (pthread_sigmask(SIG_BLOCK, NULL, &now) != 0) return 0;
  for (size_t i = 0; i < sizeof blocked / sizeof *blocked; i++)
    if (!sigismember(&now, blocked[i])) return 0;
  for (size_t i = 0; i < sizeof of_crashes / sizeof *of_crashes; i++)
    if (sigismember(&now, of_crashes[i])) return 0;
  return 1;
}

REAL(sigaction)

// The handler first installs the signal handlers with which it stops the other threads. Then it reads the list of
// threads. It warns about each thread that blocks these signals, and shows it. The recorder's thread must be gone by
// then.
RLP_EXPORT int sigaction(int signal, const struct sigaction *restrict action, struct sigaction *restrict earlier) {
  FIND_REAL(sigaction, rlp_missing());
  if (signal == SIGPROF && action != NULL && action->sa_flags == 0 && action->sa_handler != SIG_DFL
      && action->sa_handler != SIG_IGN && sigismember(&action->sa_mask, SIGTERM) == 1
      && !__atomic_load_n(&is_crashing, __ATOMIC_ACQUIRE) && is_in_crash_handler()) {
    int kept_errno = errno;
    __atomic_store_n(&is_crashing, 1, __ATOMIC_RELEASE);
    rlt_sentinel_leave();
    errno = kept_errno;
  }
  return real(signal, action, earlier);
}

int rlp_is_crash_helper(const char *file) {
  static const char backtracer[] = "swift-backtrace";
  if (__atomic_load_n(&is_crashing, __ATOMIC_ACQUIRE)) return 1;
  const char *slash = file == NULL ? NULL : strrchr(file, '/');
  const char *name = slash == NULL ? file : slash + 1;
  return name != NULL && strncmp(name, backtracer, sizeof backtracer - 1) == 0;
}
