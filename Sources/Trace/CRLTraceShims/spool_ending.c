#define _GNU_SOURCE
#include "rltrace_spool_ending.h"

#include <unistd.h>

#include "rltrace_clock.h"
#include "rltrace_platform.h"

void rlt_spool_note_end(rlt_spool *spool) {
  rlt_spool_note_clocks(spool);
  // The release order makes the reading visible together with the end.
  __atomic_fetch_or(&spool->seen, RLT_SEEN_END, __ATOMIC_RELEASE);
}

void rlt_spool_unnote_end(rlt_spool *spool) {
  __atomic_store_n(&spool->ending, RLT_ENDING_UNKNOWN, __ATOMIC_RELAXED);
  __atomic_fetch_and(&spool->seen, ~(uint32_t)RLT_SEEN_END, __ATOMIC_RELEASE);
}

void rlt_spool_note_exit(rlt_spool *spool, int status) {
  spool->exit_status = (uint32_t)status & 0xFF;
  __atomic_store_n(&spool->ending, RLT_ENDING_EXIT, __ATOMIC_RELEASE);
}

void rlt_spool_note_exec(rlt_spool *spool) {
  __atomic_store_n(&spool->ending, RLT_ENDING_EXEC, __ATOMIC_RELEASE);
}

void rlt_spool_note_killed(rlt_spool *first, uint32_t process, uint32_t signal) {
  // In another namespace, the recorder may know a different process by this id.
  if (first->recorder_namespace == 0 || first->recorder_namespace != rlt_pid_namespace()) return;
  uint32_t place = __atomic_fetch_add(&first->killed_count, 1, __ATOMIC_RELAXED) % RLT_SPOOL_KILLED_MAX;
  rlt_killed *entry = &first->killed[place];
  __atomic_store_n(&entry->process, 0, __ATOMIC_RELEASE);
  __atomic_store_n(&entry->boottime_ns, rlt_boottime_ns(), __ATOMIC_RELEASE);
  __atomic_store_n(&entry->signal, signal, __ATOMIC_RELEASE);
  __atomic_store_n(&entry->process, process, __ATOMIC_RELEASE);
}

uint32_t rlt_spool_killer(const rlt_spool *first, uint32_t process, uint64_t began) {
  long ticks_per_s = sysconf(_SC_CLK_TCK);
  if (process == 0 || began == 0 || ticks_per_s <= 0) return 0;
  uint32_t count = __atomic_load_n(&first->killed_count, __ATOMIC_ACQUIRE);
  for (uint32_t i = 1; i <= RLT_SPOOL_KILLED_MAX; i++) {
    const rlt_killed *entry = &first->killed[(count - i) % RLT_SPOOL_KILLED_MAX];
    if (__atomic_load_n(&entry->process, __ATOMIC_ACQUIRE) != process) continue;
    // The entry is about an earlier process with the same id.
    if (entry->boottime_ns / (1000000000u / (uint64_t)ticks_per_s) < began) return 0;
    return __atomic_load_n(&entry->signal, __ATOMIC_RELAXED);
  }
  return 0;
}
