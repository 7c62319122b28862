// The processor time of a watched thread, from a reading before a busy period to one after it. Only periods that are
// sampled are recorded. Then the trace has the last account before the period, the first in it, those of the
// samples, the last in it, and the first after it.
#ifndef RLTRACE_ACCOUNTS_H
#define RLTRACE_ACCOUNTS_H

#include <stdint.h>

#include "rltrace_thread_evidence.h"

typedef struct {
  rlt_thread_account before, first, last;
  uint64_t written_ns;  // when the newest one in the trace was read; 0 = the trace has none of this thread
  int is_sampled;       // whether the trace has a sample of the period
} rlt_accounts;

// Records a state that was read at `read_ns`, on the monotonic clock; 0 = just now. `named`: the thread's id in events.
void rlt_emit_thread_state(uint64_t named, const rlt_thread_evidence *evidence, uint64_t read_ns);

// Begins a period of a thread, and ends the one before. `is_same`: that one was also of
// this thread.
void rlt_begin_accounts(rlt_accounts *accounts, uint64_t thread, uint64_t named, int is_same);

// Notes the account in a period, for its end.
void rlt_note_account(rlt_accounts *accounts, uint64_t thread);

// Records the evidence for a sample in a period.
void rlt_sample_accounts(rlt_accounts *accounts, uint64_t named, const rlt_thread_evidence *evidence);

// Ends a period of a thread.
void rlt_end_accounts(rlt_accounts *accounts, uint64_t thread, uint64_t named);

#endif
