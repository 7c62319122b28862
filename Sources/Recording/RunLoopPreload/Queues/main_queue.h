// The main dispatch queue and the queues that target it.
#ifndef RLP_MAIN_QUEUE_H
#define RLP_MAIN_QUEUE_H

#include "recording.h"

// Returns whether work that is queued now is to be wrapped, for any queue.
static inline int rlp_wraps_work(void) {
  int state = __atomic_load_n(&rlp_recording_state, __ATOMIC_ACQUIRE);
  return state == RLP_NOT_YET
         || (state == RLP_RECORDING && (rlt_current_spool()->flags & RLT_SPOOL_ACTIVITIES_ONLY) == 0);
}

// Returns whether a queue is the main one or targets it.
int rlp_targets_main_queue(const void *queue);
// Returns whether work is to be wrapped and the queue is the main one or targets it.
int rlp_wraps_work_of(const void *queue);
// Returns whether this is the main queue and the calling thread is the main thread. Waiting for work there ends the
// program.
int rlp_is_own_queue(const void *queue);

#endif
