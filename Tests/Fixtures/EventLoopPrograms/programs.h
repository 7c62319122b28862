// Functions that these programs and ../EventLoops/loops.c share.
#ifndef PROGRAMS_H
#define PROGRAMS_H

#include <arpa/inet.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { SYSTEM_ERROR = 71 };

static inline int checked(int result) {
  if (result >= 0) return result;
  perror("a call failed");
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

// A thread that accepts one connection, and its client.
typedef struct {
  int listener, client;
  pthread_t server;
} connection;

// Starts the thread, which gets the address of the listener, and connects to it.
static inline void connect_to(connection *made, void *(*serve)(void *listener)) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  made->listener = checked(socket(AF_INET, SOCK_STREAM, 0));
  made->client = checked(socket(AF_INET, SOCK_STREAM, 0));
  checked(bind(made->listener, (struct sockaddr *)&address, sizeof address));
  checked(listen(made->listener, 1));
  checked(getsockname(made->listener, (struct sockaddr *)&address, &length));
  start(&made->server, serve, &made->listener);
  checked(connect(made->client, (struct sockaddr *)&address, sizeof address));
}

static inline void end_connection(const connection *made) {
  pthread_join(made->server, NULL);
  close(made->client);
  close(made->listener);
}

static inline void compute(int ms) {
  struct timespec now, begin;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do clock_gettime(CLOCK_MONOTONIC, &now);
  while ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 < ms);
}

#endif
