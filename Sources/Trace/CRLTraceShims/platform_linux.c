#if defined(__linux__)
#define _GNU_SOURCE
#include "rltrace_platform.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

// Reads a text of the kernel, or its beginning. Returns 0 if there is none. Uses neither locks nor the heap.
static int read_text(const char *path, char *text, size_t size) {
  int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return 0;
  ssize_t length = read(descriptor, text, size - 1);
  close(descriptor);
  text[length > 0 ? length : 0] = 0;
  return length > 0;
}

uint64_t rlt_os_thread_id(void) { return (uint64_t)syscall(SYS_gettid); }

int rlt_is_main_thread(void) { return syscall(SYS_gettid) == getpid(); }

void rlt_copy_thread_name(char *buffer, size_t size) {
  if (size == 0) return;
  if (pthread_getname_np(pthread_self(), buffer, size) != 0) buffer[0] = 0;
}

void rlt_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

int rlt_thread_waited_ns(uint64_t *waited_ns) {
  // "ran waited times", in nanoseconds.
  char text[96], *rest;
  if (!read_text("/proc/thread-self/schedstat", text, sizeof text)) return 0;
  (void)strtoull(text, &rest, 10);
  *waited_ns = strtoull(rest, NULL, 10);
  return 1;
}

int rlt_usable_processors(void) {
  cpu_set_t allowed;
  // The call fails on machines with more processors than the set has room for.
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return CPU_COUNT(&allowed);
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? (int)online : 1;
}

int rlt_current_processor(void) { return sched_getcpu(); }

void rlt_leave_processor(int processor) {
  cpu_set_t allowed, others;
  if (processor < 0 || processor >= CPU_SETSIZE || sched_getcpu() != processor) return;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  others = allowed;
  CPU_CLR(processor, &others);
  if (sched_setaffinity(0, sizeof others, &others) == 0) sched_setaffinity(0, sizeof allowed, &allowed);
}

void rlt_read_boot_id(uint8_t id[16]) {
  char text[64];
  memset(id, 0, 16);
  if (!read_text("/proc/sys/kernel/random/boot_id", text, sizeof text)) return;
  int digits = 0;
  for (const char *at = text; *at != 0 && digits < 32; at++) {
    int value = *at >= '0' && *at <= '9' ? *at - '0' : *at >= 'a' && *at <= 'f' ? *at - 'a' + 10 : -1;
    if (value < 0) continue;
    id[digits / 2] = (uint8_t)(id[digits / 2] << 4 | value);
    digits += 1;
  }
}

// Reads /proc/PID/stat. Returns its fields from the third on; NULL if there is no such process.
static char *fields_of_process(uint32_t process, char *text, size_t size) {
  char path[40];
  snprintf(path, sizeof path, "/proc/%u/stat", process);
  // The name, in parentheses, may contain any character.
  char *at = read_text(path, text, size) ? strrchr(text, ')') : NULL;
  return at != NULL && at[1] == ' ' ? at + 2 : NULL;
}

// Returns the field `number` of such fields; NULL if there are fewer.
static char *field(char *at, int number) {
  for (int i = 3; at != NULL && i < number; i++) {
    at = strchr(at, ' ');
    if (at != NULL) at += 1;
  }
  return at;
}

enum { START_TIME = 22, EXIT_CODE = 52 };

uint64_t rlt_process_start(uint32_t process) {
  char text[1024];
  const char *start = field(fields_of_process(process, text, sizeof text), START_TIME);
  return start == NULL ? 0 : strtoull(start, NULL, 10);
}

uint64_t rlt_pid_namespace(void) {
  struct stat status;
  return stat("/proc/self/ns/pid", &status) == 0 ? (uint64_t)status.st_ino : 0;
}

int rlt_process_open(int32_t process) {
#if defined(SYS_pidfd_open)
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
  char text[1024], *fields = fields_of_process((uint32_t)process, text, sizeof text);
  const char *start = field(fields, START_TIME), *code = field(fields, EXIT_CODE);
  if (code == NULL || *fields != 'Z' || (began != 0 && strtoull(start, NULL, 10) != began)) return 0;
  *status = (int)strtol(code, NULL, 10);
  return *status != 0;
}

int rlt_process_end_status(int descriptor, int32_t process, uint64_t began, int *status) {
  return status_by_descriptor(descriptor, status) || (process > 0 && status_of_zombie(process, began, status))
         // The parent may have waited for the process between the two calls.
         || status_by_descriptor(descriptor, status);
}

void rlt_send_signal_again(int number, siginfo_t *info) {
  if (syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), number, info) != 0) raise(number);
}

void rlt_spare_address_space(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) mallopt(M_ARENA_MAX, 1);
}

uint64_t rlt_free_address_space(uint64_t own) {
  struct rlimit limit;
  char pages[32];
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return UINT64_MAX;
  uint64_t used = 0;
  if (read_text("/proc/self/statm", pages, sizeof pages))
    used = strtoull(pages, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
  used -= own < used ? own : used;
  return used < limit.rlim_cur ? limit.rlim_cur - used : 0;
}

int rlt_read_memory(uint64_t address, void *bytes, size_t count) {
  struct iovec here = {bytes, count}, there = {(void *)(uintptr_t)address, count};
  // A sanitizer's function of the C library's name would report the memory as not initialized.
  return syscall(SYS_process_vm_readv, (long)getpid(), &here, 1L, &there, 1L, 0L) == (ssize_t)count;
}

int rlt_calls_are_filtered;

int rlt_back_memory(void *address, size_t bytes) {
  if (__atomic_load_n(&rlt_calls_are_filtered, __ATOMIC_RELAXED)) return 1;
  enum { POPULATE_WRITE = 23 };  // MADV_POPULATE_WRITE, of Linux 5.14
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  uintptr_t start = (uintptr_t)address & ~(page - 1), end = ((uintptr_t)address + bytes + page - 1) & ~(page - 1);
  int kept_errno = errno;
  // Older kernels do not know this advice. Then pages are allocated when they are first used.
  int is_backed = madvise((void *)start, end - start, POPULATE_WRITE) == 0 || errno == EINVAL;
  errno = kept_errno;
  return is_backed;
}

// Returns whether the system may kill this process for a system call that it has not made before.
static int filters_calls(void) {
  // Not on the stack, which may be a small one. Threads that come here at once read the same text.
  static char text[4096];
  const char *line = read_text("/proc/thread-self/status", text, sizeof text) ? strstr(text, "\nSeccomp:\t") : NULL;
  return line == NULL || line[strlen("\nSeccomp:\t")] != '0';
}

void rlt_read_only_used_pages(void *address, size_t bytes) {
  int kept_errno = errno;
  if (!filters_calls()) madvise(address, bytes, MADV_RANDOM);
  errno = kept_errno;
}

void rlt_store_in_place(int descriptor) {
  // Btrfs writes changed data to a new place, for which a full disk has no room. Other file systems store in place, or
  // do not know the flag.
  int kept_errno = errno, flags = 0;
  if (ioctl(descriptor, FS_IOC_GETFLAGS, &flags) == 0) {
    flags |= FS_NOCOW_FL;
    ioctl(descriptor, FS_IOC_SETFLAGS, &flags);
  }
  errno = kept_errno;
}

int rlt_allocate_file(int descriptor, uint64_t bytes) {
  errno = posix_fallocate(descriptor, 0, (off_t)bytes);
  return errno == 0;
}

#endif
