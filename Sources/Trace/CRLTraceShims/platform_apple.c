// Compiled for Apple's systems, not run.
#if defined(__APPLE__)
#include "rltrace_platform.h"

#include <mach/mach.h>
#include <pthread.h>
#include <string.h>
#include <sys/sysctl.h>
#include <sys/time.h>
#include <unistd.h>

uint64_t rlt_os_thread_id(void) {
  uint64_t id = 0;
  pthread_threadid_np(NULL, &id);
  return id;
}

int rlt_is_main_thread(void) { return pthread_main_np() != 0; }

void rlt_copy_thread_name(char *buffer, size_t size) {
  if (size == 0) return;
  if (pthread_getname_np(pthread_self(), buffer, size) != 0) buffer[0] = 0;
}

void rlt_name_thread(const char *name) { pthread_setname_np(name); }

int rlt_thread_waited_ns(uint64_t *waited_ns) {
  (void)waited_ns;
  return 0;
}

int rlt_usable_processors(void) {
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? (int)online : 1;
}

int rlt_current_processor(void) { return -1; }

void rlt_leave_processor(int processor) { (void)processor; }

static uint64_t us_of(struct timeval time) { return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_usec; }

void rlt_read_boot_id(uint8_t id[16]) {
  // The system reports its boot time in wall-clock time, so setting the clock looks like a reboot. Recovery then uses
  // the lock on the trace to find out whether the recorder is alive.
  struct timeval start;
  size_t size = sizeof start;
  int name[] = {CTL_KERN, KERN_BOOTTIME};
  memset(id, 0, 16);
  if (sysctl(name, 2, &start, &size, NULL, 0) != 0) return;
  uint64_t us = us_of(start);
  memcpy(id, &us, sizeof us);
}

uint64_t rlt_process_start(uint32_t process) {
  struct kinfo_proc found;
  size_t size = sizeof found;
  int name[] = {CTL_KERN, KERN_PROC, KERN_PROC_PID, (int)process};
  if (sysctl(name, 4, &found, &size, NULL, 0) != 0 || size != sizeof found) return 0;
  return us_of(found.kp_proc.p_starttime);
}

uint64_t rlt_pid_namespace(void) { return 1; }  // the only one

int rlt_process_open(int32_t process) {
  (void)process;
  return -2;
}

int rlt_process_has_ended(int descriptor) {
  (void)descriptor;
  return 0;
}

int rlt_process_end_status(int descriptor, int32_t process, uint64_t began, int *status) {
  (void)descriptor, (void)process, (void)began, (void)status;
  return 0;
}

void rlt_send_signal_again(int number, siginfo_t *info) {
  (void)info;
  raise(number);
}

void rlt_spare_address_space(void) {}

uint64_t rlt_free_address_space(uint64_t own) {
  (void)own;
  return UINT64_MAX;
}

int rlt_read_memory(uint64_t address, void *bytes, size_t count) {
  vm_size_t got = 0;
  return vm_read_overwrite(mach_task_self(), (vm_address_t)address, count, (vm_address_t)bytes, &got) == KERN_SUCCESS
         && got == count;
}

int rlt_back_memory(void *address, size_t bytes) {
  (void)address, (void)bytes;
  return 1;
}

void rlt_read_only_used_pages(void *address, size_t bytes) { (void)address, (void)bytes; }

void rlt_store_in_place(int descriptor) { (void)descriptor; }

int rlt_allocate_file(int descriptor, uint64_t bytes) {
  (void)descriptor, (void)bytes;
  return 1;
}

#endif
