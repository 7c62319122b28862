// The main dispatch queue and the queues that target it.
#ifndef RLP_MAIN_QUEUE_H
#define RLP_MAIN_QUEUE_H

#include "queue_lane.h"
#include "recording.h"

// Returns whether work that is queued now is to be wrapped, for any queue.
static inline int rlp_wraps_work(void) {
  int state = __atomic_load_n(&rlp_recording_state, __ATOMIC_ACQUIRE);
  return state == RLP_NOT_YET
         || (state == RLP_RECORDING && (rlt_current_spool()->flags & RLT_SPOOL_ACTIVITIES_ONLY) == 0);
}

// The number of queues that were given the main one as their target.
extern uint32_t rlp_targeting_count;
int rlp_is_targeting(const void *queue);

// Returns whether a queue is the main one or targets it.
static inline int rlp_targets_main_queue(const void *queue) {
  if (queue == NULL) return 0;
  return queue == rlp_main_queue()
         || (__atomic_load_n(&rlp_targeting_count, __ATOMIC_ACQUIRE) != 0 && rlp_is_targeting(queue));
}
// Returns whether work is to be wrapped and the queue is the main one or targets it.
static inline int rlp_wraps_work_of(const void *queue) { return rlp_wraps_work() && rlp_targets_main_queue(queue); }
// Returns whether this is the main queue and the calling thread is the main thread. Waiting for work there ends the
// program.
int rlp_is_own_queue(const void *queue);

#endif
