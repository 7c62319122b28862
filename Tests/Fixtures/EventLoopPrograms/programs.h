// Functions that the programs share.
#ifndef PROGRAMS_H
#define PROGRAMS_H

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

enum { SYSTEM_ERROR = 71 };

static inline int checked(int result) {
  if (result >= 0) return result;
  perror("event-loop-programs");
  exit(SYSTEM_ERROR);
}

static inline struct timespec of_ms(int ms) { return (struct timespec){ms / 1000, ms % 1000 * 1000000L}; }

static inline void rest(int ms) {
  struct timespec left = of_ms(ms);
  while (nanosleep(&left, &left) != 0) continue;
}

static inline void start(pthread_t *thread, void *(*run)(void *), void *argument) {
  if (pthread_create(thread, NULL, run, argument) != 0) exit(SYSTEM_ERROR);
}

// Returns what was read, which is 1 for each wake-up of a pipe, and the number of wake-ups for an eventfd.
static inline uint64_t taken(int descriptor) {
  uint64_t count = 0;
  return read(descriptor, &count, sizeof count) == sizeof count ? count : 0;
}

static inline void add(int set, int descriptor) {
  struct epoll_event event = {.events = EPOLLIN, .data.fd = descriptor};
  checked(epoll_ctl(set, EPOLL_CTL_ADD, descriptor, &event));
}

static inline void compute(int ms) {
  struct timespec now, begin;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do clock_gettime(CLOCK_MONOTONIC, &now);
  while ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 < ms);
}

#endif
