// Waits for dispatch queues, so that stalls can name the thread that runs a queue's blocks.
#ifndef RLP_QUEUE_WAITS_H
#define RLP_QUEUE_WAITS_H

#include "preload.h"
#include "rltrace_queue_wait.h"

extern int rlp_has_looked_for_owner;
void rlp_look_for_owner(void);

// Finds out where a queue stores the id of the thread that runs its blocks, once in a process.
static inline void rlp_learn_queue_owner(void) {
  if (__builtin_expect(__atomic_load_n(&rlp_has_looked_for_owner, __ATOMIC_RELAXED) == 0, 0)) rlp_look_for_owner();
}

// Calls a function that waits for a queue, such as dispatch_sync, with the mark of the wait on the stack.
#define RLP_WAIT_FOR_QUEUE(queue, call) \
  do { \
    volatile rlt_queue_wait wait_; \
    rlp_learn_queue_owner(); \
    rlt_begin_queue_wait(&wait_, queue); \
    call; \
    rlt_end_queue_wait(&wait_); \
  } while (0)

#endif
