#define _GNU_SOURCE
#include "rltrace_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/syscall.h>
#endif

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
