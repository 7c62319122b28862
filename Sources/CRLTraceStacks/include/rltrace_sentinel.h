// A thread that sees when a run loop stays where it is, and samples the thread that runs it until it moves.
//
// It is told nothing and asks nobody: whether a thread stores events, and which came last, is in the thread's ring. What
// it finds are events of a thread of its own, `thread.stack`, `thread.state` and `thread.unsampled`.
#ifndef RLTRACE_SENTINEL_H
#define RLTRACE_SENTINEL_H

#include <signal.h>
#include <stdint.h>

#include "rltrace_vocabulary.h"

// It does nothing where nobody handles it.
enum { RLT_USUAL_STALL_SIGNAL = SIGURG };

typedef struct {
  uint64_t beat_ns;       // from look to look
  uint64_t threshold_ns;  // so long in one activity, and not waiting, is a stall; sampled from half of it on
  int signal;             // interrupts threads that run; 0 = those are not sampled
  // So long in one activity is too long, by the phase of the app's life (0 = before the first mark); of launching, from its
  // mark until a loop runs as well. The stack is sampled from shortly before that moment on. 0 = there is no limit.
  uint64_t limits_ns[RLT_PHASES];
} rlt_sentinel_options;

// Starts the thread for the recording in force. It ends with it. 0 = there is no thread to be had.
int rlt_sentinel_start(const rlt_sentinel_options *options);

// Ends the thread, and waits for it. Nothing, when there is none.
void rlt_sentinel_stop(void);

// The program crashes: ends the sentinel's thread where it is, within a tenth of a second, and waits until the system
// has removed it. A crash handler stops all threads that it finds, but the sentinel blocks the signals that are to stop
// it. May be called by a signal handler.
void rlt_sentinel_leave(void);

// This is the child of a fork: the thread stayed with the parent.
void rlt_sentinel_forget(void);

#endif
