// A mark on the stack of a thread that waits for a dispatch queue. The sentinel finds it there, and reads from the
// queue which thread runs its blocks.
#ifndef RLTRACE_QUEUE_WAIT_H
#define RLTRACE_QUEUE_WAIT_H

#include <stdint.h>

typedef struct rlt_queue_wait {
  uint64_t magic;                     // RLT_QUEUE_WAIT_MAGIC while the wait lasts
  const struct rlt_queue_wait *self;  // distinguishes the mark from a copy of it
  const void *queue;
} rlt_queue_wait;

#define RLT_QUEUE_WAIT_MAGIC UINT64_C(0x726c742d77616974)

// Writes the mark of a wait. It must be on the stack of the calling thread.
static inline void rlt_begin_queue_wait(volatile rlt_queue_wait *wait, const void *queue) {
  wait->queue = queue;
  wait->self = (const rlt_queue_wait *)wait;
  wait->magic = RLT_QUEUE_WAIT_MAGIC;
}

static inline void rlt_end_queue_wait(volatile rlt_queue_wait *wait) { wait->magic = 0; }

#endif
