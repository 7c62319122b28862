#define _GNU_SOURCE
#include "rltrace_spool_make.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "rltrace_platform.h"
#include "rltrace_spool_guard.h"
#include "rltrace_spool_space.h"

rlt_spool *rlt_spool_make(int descriptor, uint64_t slots_per_ring, uint32_t flags, uint32_t time_unit_ns,
                          uint32_t recorder_pid, uint64_t recording, int is_guarded) {
  size_t bytes = rlt_spool_bytes(slots_per_ring);
  if (bytes == 0) {
    errno = EINVAL;
    return NULL;
  }
  int is_file = descriptor >= 0;
  if (is_file) rlt_store_in_place(descriptor);
  if (is_file && ftruncate(descriptor, (off_t)bytes) != 0) return NULL;
  if (is_file && !rlt_allocate_file(descriptor, rlt_spool_first_bytes())) return NULL;
  size_t mapped = rlt_spool_mapped_bytes(slots_per_ring);
  rlt_spool *spool = rlt_map(NULL, mapped, MAP_SHARED | (is_file ? 0 : MAP_ANONYMOUS), descriptor);
  if (spool == NULL) return NULL;
  if (is_file && is_guarded) rlt_guard_mapping(spool, mapped);
  rlt_spool_format(spool, slots_per_ring, flags, time_unit_ns, recorder_pid, recording);
  // Anonymous memory is never guarded.
  if (rlt_guard_faults(spool) != 0) {
    rlt_unguard_mapping(spool);
    munmap(spool, mapped);
    errno = ENOSPC;
    return NULL;
  }
  // A child makes its own spool. A process knows the start time only for its own id.
  if (recorder_pid == (uint32_t)getpid()) {
    spool->recorder_start = rlt_process_start(recorder_pid);
    spool->recorder_namespace = rlt_pid_namespace();
  }
  return spool;
}

