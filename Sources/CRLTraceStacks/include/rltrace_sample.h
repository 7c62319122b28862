// The call stack of another thread of this process, which goes on as if nothing had happened.
//
// A thread that sleeps in the kernel is not touched: its stack is read where it lies. One that runs is interrupted by a
// signal for as long as copying its stack takes. The signal is one that the program does not handle, and its disposition
// is the program's again when `rlt_end_sampling` returns.
#ifndef RLTRACE_SAMPLE_H
#define RLTRACE_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

#include "rltrace_thread_evidence.h"
#include "rltrace_unwind.h"

typedef enum {
  RLT_SAMPLED,
  RLT_MOVED_ON,          // it was woken, or slept again, while it was looked at
  RLT_SIGNAL_IS_TAKEN,   // it runs, and the program handles the signal itself
  RLT_DOES_NOT_ANSWER,   // it runs, and blocks the signal
} rlt_sample_result;

// `evidence` was just read of the thread. Writes up to RLT_FRAMES_MAX frames and their number. One thread at a time.
rlt_sample_result rlt_sample(
    uint64_t thread, const rlt_thread_evidence *evidence, int signal, uint64_t *frames, size_t *count);

// Gives the signal back, unless the program has taken it meanwhile, or a thread that blocks it has yet to get one of ours.
void rlt_end_sampling(void);

#endif
