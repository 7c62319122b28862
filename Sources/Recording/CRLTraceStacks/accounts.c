#include "rltrace_accounts.h"

#include <string.h>

#include "rltrace_clock.h"
#include "rltrace_emit.h"
#include "rltrace_vocabulary.h"

void rlt_emit_thread_state(uint64_t named, const rlt_thread_evidence *evidence, uint64_t read_ns) {
  uint64_t now = rlt_monotonic_ns(), age_ns = read_ns == 0 || read_ns > now ? 0 : now - read_ns;
  const uint64_t arguments[] = {
      named, evidence->state, evidence->system_call, evidence->cpu_ns, evidence->waited_ns,
      evidence->voluntary_switches, evidence->involuntary_switches, evidence->minor_faults, evidence->major_faults,
      evidence->read_bytes, evidence->written_bytes, evidence->awaited_thread, evidence->descriptor, age_ns};
  rlt_emit_arguments(RLT_KIND_THREAD_STATE, 0, 0, arguments, sizeof arguments / sizeof *arguments);
}

// Records an account as a state without other data, unless it was not read or the trace has it.
static void emit_account(rlt_accounts *accounts, uint64_t named, const rlt_thread_account *account) {
  if (account->read_ns <= accounts->written_ns) return;
  rlt_thread_evidence evidence;
  memset(&evidence, 0xFF, sizeof evidence);
  evidence.cpu_ns = account->cpu_ns;
  evidence.waited_ns = account->waited_ns;
  evidence.awaited_thread = 0;
  evidence.descriptor = RLT_DESCRIPTOR_UNKNOWN;
  rlt_emit_thread_state(named, &evidence, account->read_ns);
  accounts->written_ns = account->read_ns;
}

// Records the last account of a sampled period, and the first one behind it.
static void emit_end(rlt_accounts *accounts, uint64_t named, const rlt_thread_account *after) {
  if (!accounts->is_sampled) return;
  emit_account(accounts, named, &accounts->last);
  emit_account(accounts, named, after);
  accounts->is_sampled = 0;
}

void rlt_begin_accounts(rlt_accounts *accounts, uint64_t thread, uint64_t named, int is_same) {
  static const rlt_thread_account none = {0};
  rlt_thread_account now = none;
  (void)rlt_read_thread_account(thread, &now);
  // An account of this thread does not show what another one used.
  emit_end(accounts, named, is_same ? &now : &none);
  accounts->before = is_same ? accounts->last : none;
  accounts->first = accounts->last = now;
  if (!is_same) accounts->written_ns = 0;
}

void rlt_note_account(rlt_accounts *accounts, uint64_t thread) {
  (void)rlt_read_thread_account(thread, &accounts->last);
}

void rlt_sample_accounts(rlt_accounts *accounts, uint64_t named, const rlt_thread_evidence *evidence) {
  if (!accounts->is_sampled) {
    emit_account(accounts, named, &accounts->before);
    emit_account(accounts, named, &accounts->first);
  }
  accounts->last = (rlt_thread_account){
      .cpu_ns = evidence->cpu_ns, .waited_ns = evidence->waited_ns, .read_ns = rlt_monotonic_ns()};
  accounts->written_ns = accounts->last.read_ns;
  accounts->is_sampled = 1;
  rlt_emit_thread_state(named, evidence, 0);
}

void rlt_end_accounts(rlt_accounts *accounts, uint64_t thread, uint64_t named) {
  rlt_thread_account now = {0};
  if (!accounts->is_sampled) return;
  (void)rlt_read_thread_account(thread, &now);
  emit_end(accounts, named, &now);
}
