#define _GNU_SOURCE
#include "rltrace_thread.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/syscall.h>
#endif

uint64_t rlt_os_thread_id(void) {
#if defined(__linux__)
  return (uint64_t)syscall(SYS_gettid);
#else
  uint64_t id = 0;
  pthread_threadid_np(NULL, &id);
  return id;
#endif
}

int rlt_is_main_thread(void) {
#if defined(__linux__)
  return syscall(SYS_gettid) == getpid();
#else
  return pthread_main_np() != 0;
#endif
}

void rlt_copy_thread_name(char *buffer, size_t size) {
  if (size == 0) return;
  if (pthread_getname_np(pthread_self(), buffer, size) != 0) buffer[0] = 0;
}

void rlt_name_thread(const char *name) {
#if defined(__linux__)
  pthread_setname_np(pthread_self(), name);
#else
  pthread_setname_np(name);
#endif
}

int rlt_usable_processors(void) {
#if defined(__linux__)
  cpu_set_t allowed;
  // The call fails on machines with more processors than the set has room for.
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return CPU_COUNT(&allowed);
#endif
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? (int)online : 1;
}

int rlt_current_processor(void) {
#if defined(__linux__)
  return sched_getcpu();
#else
  return -1;
#endif
}

void rlt_leave_processor(int processor) {
#if defined(__linux__)
  cpu_set_t allowed, others;
  if (processor < 0 || processor >= CPU_SETSIZE || sched_getcpu() != processor) return;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  others = allowed;
  CPU_CLR(processor, &others);
  if (sched_setaffinity(0, sizeof others, &others) == 0) sched_setaffinity(0, sizeof allowed, &allowed);
#else
  (void)processor;
#endif
}
