#define _GNU_SOURCE
#include "rltrace_rest.h"

#include <errno.h>
#include <time.h>

static uint32_t wakes_so_far;

uint32_t rlt_wakes(void) { return __atomic_load_n(&wakes_so_far, __ATOMIC_ACQUIRE); }

static struct timespec time_of(uint64_t ns) {
  return (struct timespec){.tv_sec = (time_t)(ns / 1000000000u), .tv_nsec = (long)(ns % 1000000000u)};
}

#if defined(__linux__)

#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

void rlt_rest(uint32_t wakes, uint64_t ns) {
  int kept_errno = errno;
  struct timespec limit = time_of(ns);
  syscall(SYS_futex, &wakes_so_far, FUTEX_WAIT_PRIVATE, wakes, ns == UINT64_MAX ? NULL : &limit, NULL, 0);
  errno = kept_errno;
}

void rlt_wake(void) {
  int kept_errno = errno;
  __atomic_fetch_add(&wakes_so_far, 1, __ATOMIC_RELEASE);
  syscall(SYS_futex, &wakes_so_far, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
  errno = kept_errno;
}

#else

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t woken = PTHREAD_COND_INITIALIZER;

void rlt_rest(uint32_t wakes, uint64_t ns) {
  struct timespec limit = time_of(ns);
  pthread_mutex_lock(&lock);
  if (rlt_wakes() == wakes) {
    if (ns == UINT64_MAX)
      pthread_cond_wait(&woken, &lock);
    else
      pthread_cond_timedwait_relative_np(&woken, &lock, &limit);
  }
  pthread_mutex_unlock(&lock);
}

void rlt_wake(void) {
  pthread_mutex_lock(&lock);
  __atomic_fetch_add(&wakes_so_far, 1, __ATOMIC_RELEASE);
  pthread_cond_broadcast(&woken);
  pthread_mutex_unlock(&lock);
}

#endif
