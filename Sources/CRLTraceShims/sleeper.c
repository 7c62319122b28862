#define _GNU_SOURCE
#include "rltrace_sleeper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/syscall.h>
#endif

#include "rltrace_clock.h"

struct rlt_sleeper {
  pthread_mutex_t lock;
  pthread_cond_t ended;
  int is_ended;
};

rlt_sleeper *rlt_sleeper_make(void) {
  rlt_sleeper *sleeper = calloc(1, sizeof *sleeper);
  if (sleeper == NULL) return NULL;
  pthread_mutex_init(&sleeper->lock, NULL);
#if defined(__APPLE__)
  pthread_cond_init(&sleeper->ended, NULL);
#else
  // A wall clock that is set must not look like a late beat.
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&sleeper->ended, &attributes);
  pthread_condattr_destroy(&attributes);
#endif
  return sleeper;
}

void rlt_sleeper_free(rlt_sleeper *sleeper) {
  pthread_cond_destroy(&sleeper->ended);
  pthread_mutex_destroy(&sleeper->lock);
  free(sleeper);
}

static struct timespec timespec_of(uint64_t ns) {
  return (struct timespec){.tv_sec = (time_t)(ns / 1000000000u), .tv_nsec = (long)(ns % 1000000000u)};
}

int rlt_sleeper_sleep(rlt_sleeper *sleeper, uint64_t moment_ns) {
  pthread_mutex_lock(&sleeper->lock);
  uint64_t now;
  while (!sleeper->is_ended && (now = rlt_monotonic_ns()) < moment_ns) {
#if defined(__APPLE__)
    struct timespec rest = timespec_of(moment_ns - now);
    pthread_cond_timedwait_relative_np(&sleeper->ended, &sleeper->lock, &rest);
#else
    struct timespec moment = timespec_of(moment_ns);
    pthread_cond_timedwait(&sleeper->ended, &sleeper->lock, &moment);
#endif
  }
  int is_ended = sleeper->is_ended;
  pthread_mutex_unlock(&sleeper->lock);
  return is_ended;
}

void rlt_sleeper_end(rlt_sleeper *sleeper) {
  pthread_mutex_lock(&sleeper->lock);
  sleeper->is_ended = 1;
  pthread_cond_signal(&sleeper->ended);
  pthread_mutex_unlock(&sleeper->lock);
}

int rlt_process_cpu_ns(int32_t process, uint64_t *cpu_ns) {
  clockid_t clock = CLOCK_PROCESS_CPUTIME_ID;
  if (process != 0) {
#if defined(__APPLE__)
    return 0;
#else
    if (clock_getcpuclockid((pid_t)process, &clock) != 0) return 0;
#endif
  }
  struct timespec used;
  if (clock_gettime(clock, &used) != 0) return 0;
  *cpu_ns = (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
  return 1;
}

int rlt_process_open(int32_t process) {
#if defined(__linux__) && defined(SYS_pidfd_open)
  int descriptor = (int)syscall(SYS_pidfd_open, (pid_t)process, 0);
  if (descriptor >= 0) return descriptor;
  return errno == ESRCH ? -1 : -2;
#else
  (void)process;
  return -2;
#endif
}

int rlt_process_has_ended(int descriptor) {
  struct pollfd watched = {.fd = descriptor, .events = POLLIN};
  return poll(&watched, 1, 0) > 0;
}

int rlt_thread_waited_ns(uint64_t *waited_ns) {
#if defined(__linux__)
  // "ran waited times", in nanoseconds.
  int descriptor = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return 0;
  char text[96];
  ssize_t length = read(descriptor, text, sizeof text - 1);
  close(descriptor);
  if (length <= 0) return 0;
  text[length] = 0;
  char *rest;
  (void)strtoull(text, &rest, 10);
  *waited_ns = strtoull(rest, NULL, 10);
  return 1;
#else
  (void)waited_ns;
  return 0;
#endif
}
