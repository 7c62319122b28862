// Waits for a turn on a Dispatch queue, as in dispatch_sync: recorded if they take a microsecond or more.
//
// If the queue is taken when the wait begins, the begin is stored at once, so that a wait that never ends is in the
// trace. If it is free, nothing is recorded: another thread that is faster is not seen. Where a queue's state is not
// understood, two stamps are compared.
#ifndef RLP_QUEUE_TURNS_H
#define RLP_QUEUE_TURNS_H

#include "queue_layout.h"
#include "work.h"

typedef struct {
  void *context;
  rlp_perform function;
  const void *queue;
  const rlt_thread_state *waiting;  // of the thread that waits; the work may run on another one
  uint64_t began;
  uint64_t got;      // when another thread began the work; 0 = none did
  uint32_t object;   // of the queue, if the begin is stored
  uint32_t session;  // the recording that has it
  int is_watched;    // the thread is watched because it waits
} rlp_queue_turn;

// Fewer cycles than a microsecond has.
enum { RLP_SHORT_WAIT = 500 };

void rlp_store_wait(rlp_queue_turn *turn, uint64_t holder);
void rlp_end_wait_for_turn(rlp_queue_turn *turn, uint64_t now);
// Runs the function of a turn, which is the context.
void rlp_run_turn(void *turn);

static inline void rlp_begin_turn(
    rlp_queue_turn *turn, const void *queue, int is_barrier, void *context, rlp_perform function) {
  *turn = (rlp_queue_turn){.context = context, .function = function, .queue = queue, .waiting = &rlt_thread};
  uint64_t holder;
  rlp_learn_queue_owner();
  if (rlp_queue_is_taken(queue, is_barrier, &holder)) rlp_store_wait(turn, holder);
  turn->began = rlt_stamp();
}

// Called when the function that waited returns.
static inline void rlp_return_from_turn(rlp_queue_turn *turn) {
  uint64_t got = __atomic_load_n(&turn->got, __ATOMIC_ACQUIRE);
  if (__builtin_expect(got != 0, 0)) rlp_end_wait_for_turn(turn, got);
}

// Calls `call`, which waits for a turn with `turn` and `rlp_run_turn` in place of a context and a function.
#define RLP_TAKE_TURN(queue, is_barrier, context, function, call) \
  do { \
    rlp_queue_turn turn; \
    rlp_begin_turn(&turn, queue, is_barrier, context, function); \
    RLP_WAIT_FOR_QUEUE(queue, call); \
    rlp_return_from_turn(&turn); \
  } while (0)

#endif
