// A thread that detects run loops that make no progress, and long work of queues and tasks. It samples the thread of
// such a loop or work until it continues.
//
// The sentinel needs no notifications: the ring of a thread shows whether it stores events, and which came last. The
// sentinel records events on its own thread: `thread.stack`, `thread.state` and `thread.unsampled`.
#ifndef RLTRACE_SENTINEL_H
#define RLTRACE_SENTINEL_H

#include <signal.h>
#include <stdint.h>

#include "rltrace_vocabulary.h"

// A signal that is ignored unless the program handles it.
enum { RLT_USUAL_STALL_SIGNAL = SIGURG };

typedef struct {
  uint64_t beat_ns;       // the time between two checks; twice that while all loops wait
  void (*on_beat)(uint64_t due_ns);  // called at each check with the time when it was due; NULL = not wanted
  int only_beats;         // 1 = no thread is checked
  // A longer time in one activity other than waiting is a stall; sampled from half of it on. With frame sources, at half
  // the shortest of their intervals, if that is less.
  uint64_t threshold_ns;
  int signal;             // interrupts running threads; 0 = running threads are not sampled
  // The time limits for one activity, by the phase of the app's life (0 = before the first mark). The limit for
  // launching also applies from the launch mark until a loop runs. The stack is sampled from shortly before the limit
  // on. 0 = no limit.
  uint64_t limits_ns[RLT_PHASES];
} rlt_sentinel_options;

// Starts the thread for the current recording. While the app is in the background and all loops wait, the thread rests
// until the phase changes. It ends with the recording. Returns 0 if the thread cannot be created.
int rlt_sentinel_start(const rlt_sentinel_options *options);

// Ends the thread and waits for it. Does nothing if there is none.
void rlt_sentinel_stop(void);

// Ends the sentinel's thread in a crash, within a tenth of a second, and waits until the system has removed it. A crash
// handler stops all threads that it finds, but the sentinel blocks the signals that would stop it. A signal handler may
// call this.
void rlt_sentinel_leave(void);

// Forgets the thread in the child of a fork, because the thread exists only in the parent.
void rlt_sentinel_forget(void);

#endif
