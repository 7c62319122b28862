// Samples the call stack of another thread of this process, without affecting the thread.
//
// A thread that sleeps in the kernel is not touched: its stack is read in place, unless the system hides the place. A
// running thread is interrupted by a signal and copies its own stack, so it never waits for the sampling thread. The
// program must not handle this signal. A thread that blocks it is interrupted by SIGPROF, which dispatch's threads do
// not block. No signal is sent to a thread that blocks both. `rlt_end_sampling` restores the dispositions of both.
#ifndef RLTRACE_SAMPLE_H
#define RLTRACE_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

#include "rltrace_thread_evidence.h"
#include "rltrace_unwind.h"

typedef enum {
  RLT_SAMPLED,
  RLT_MOVED_ON,          // the thread was woken, slept again or did not finish the copy during the sampling
  RLT_SIGNAL_IS_TAKEN,   // the thread runs, and the program handles the signal itself
  RLT_DOES_NOT_ANSWER,   // the thread runs and blocks both signals, or got no processor
  RLT_PLACE_IS_HIDDEN,   // the thread sleeps, and the system does not show where
  RLT_CALLS_ARE_FILTERED,  // the thread runs, and the program filters its system calls
} rlt_sample_result;

// Samples a thread. `evidence` was just read for it. Writes up to RLT_FRAMES_MAX frames and their number. Only one
// thread may call this at a time.
rlt_sample_result rlt_sample(
    uint64_t thread, const rlt_thread_evidence *evidence, int signal, uint64_t *frames, size_t *count);

// Whether a thread of the program has a signal stack without room for the handler, which then runs on the thread's own
// stack. Set by others.
extern int rlt_has_small_signal_stack;

// Restores the disposition of each signal, unless the program has changed it or a thread that blocks the signal has
// one pending.
void rlt_end_sampling(void);

// How stacks are sampled on this system, as a fact of the trace: "signals", "mach" or "none".
const char *rlt_stack_sampling(void);

#endif
