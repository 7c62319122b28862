// Where a Dispatch queue keeps its number, its width and its state. Learned from queues that nothing else uses.
#ifndef RLP_QUEUE_LAYOUT_H
#define RLP_QUEUE_LAYOUT_H

#include "queue_waits.h"
#include "rltrace_thread_evidence.h"

// Returns a number that no other queue has, not even one that had the same address before; 0 = not known. The queue
// must exist, as for the other functions. The first call of a process learns the layout.
uint64_t rlp_queue_serial(const void *queue);
// Returns the number of threads that may run the queue's work at once; 0 = not known, or no limit. `*is_serial`: 1 =
// one at a time, 0 = not, or not known. Called after `rlp_queue_serial`.
uint32_t rlp_queue_width(const void *queue, int *is_serial);

static inline uint64_t rlp_queue_word(const void *queue, uint32_t offset) {
  return __atomic_load_n((const uint64_t *)(const void *)((const char *)queue + offset), __ATOMIC_RELAXED);
}

// Returns whether threads run work of a concurrent queue in this state.
int rlp_has_readers(const void *queue, uint64_t state);

// Returns whether work waits for a queue or runs on it, or the queue is suspended: then a thread that wants a turn
// waits. `is_barrier`: it wants to be the only one. `*holder`: the thread that runs its work; 0 = none does, several
// do, or not known.
static inline int rlp_queue_is_taken(const void *queue, int is_barrier, uint64_t *holder) {
  // The bits of a queue's state. The lowest 32 have the thread that runs its work, or that a thread is to run it. The
  // next ones say that the queue got work while other work ran, and that a barrier waits for other work to end. The
  // highest bits count suspensions.
  enum { DIRTY_BIT = 39, BARRIER_WAITS_BIT = 40, SUSPENDED_SHIFT = 55 };
  const uint64_t taken = UINT32_MAX | (uint64_t)1 << DIRTY_BIT | (uint64_t)1 << BARRIER_WAITS_BIT
                         | UINT64_MAX << SUSPENDED_SHIFT;
  uint32_t offset = rlt_queue_owner_offset();
  uint64_t state = offset == 0 ? 0 : rlp_queue_word(queue, offset);
  *holder = state & RLT_QUEUE_OWNER_MASK;
  return (state & taken) != 0 || (is_barrier && rlp_has_readers(queue, state));
}

// Returns whether a thread that wants a turn on a queue may wait: 0 if the queue is known to be free now.
static inline int rlp_queue_may_be_taken(const void *queue, int is_barrier) {
  uint64_t holder;
  rlp_learn_queue_owner();
  return rlt_queue_owner_offset() == 0 || rlp_queue_is_taken(queue, is_barrier, &holder);
}

#endif
