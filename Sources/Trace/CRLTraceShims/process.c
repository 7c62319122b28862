#define _GNU_SOURCE
#include "rltrace_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if defined(__linux__)
#include <malloc.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#endif

void rlt_spare_address_space(void) {
#if defined(__linux__)
  struct rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) mallopt(M_ARENA_MAX, 1);
#endif
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

#if defined(__linux__)
// PIDFD_GET_INFO of Linux 6.13; it includes the exit status since 6.15. The system's headers may be older.
struct pidfd_info_0 {
  uint64_t mask;
  uint64_t cgroup;
  uint32_t ids[11];
  int32_t exit_code;
};
static const unsigned long get_pidfd_info = _IOWR(0xFF, 11, struct pidfd_info_0);
static const uint64_t pidfd_info_exit = 1 << 3;

// Reads the status through the descriptor. It is available once the parent has waited for the process.
static int status_by_descriptor(int descriptor, int *status) {
  struct pidfd_info_0 info = {.mask = pidfd_info_exit};
  if (descriptor < 0 || ioctl(descriptor, get_pidfd_info, &info) != 0 || (info.mask & pidfd_info_exit) == 0) return 0;
  *status = info.exit_code;
  return 1;
}

// Reads the status from /proc. It is available until the parent has waited for the process. 0 may also mean that this
// process has no permission.
static int status_of_zombie(int32_t process, uint64_t began, int *status) {
  char path[32], text[1024];
  snprintf(path, sizeof path, "/proc/%d/stat", process);
  int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return 0;
  ssize_t length = read(descriptor, text, sizeof text - 1);
  close(descriptor);
  if (length <= 0) return 0;
  text[length] = 0;
  // The name, in parentheses, may contain any character. Field 3 follows it.
  char *at = strrchr(text, ')');
  if (at == NULL || at[1] != ' ' || at[2] != 'Z') return 0;
  at += 2;
  uint64_t start = 0;
  for (int field = 3; field < 52; field++) {
    at = strchr(at, ' ');
    if (at == NULL) return 0;
    at++;
    if (field + 1 == 22) start = strtoull(at, NULL, 10);
  }
  if (began != 0 && start != began) return 0;
  *status = (int)strtol(at, NULL, 10);
  return *status != 0;
}
#endif

int rlt_process_end_status(int descriptor, int32_t process, uint64_t began, int *status) {
#if defined(__linux__)
  return status_by_descriptor(descriptor, status) || (process > 0 && status_of_zombie(process, began, status))
         // The parent may have waited for the process between the two calls.
         || status_by_descriptor(descriptor, status);
#else
  (void)descriptor, (void)process, (void)began, (void)status;
  return 0;
#endif
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
