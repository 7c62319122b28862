// Blocks that a program puts on dispatch queues.
#include "dispatch_time.h"
#include "items.h"
#include "main_queue.h"
#include "objects.h"
#include "queue_lane.h"
#include "queue_turns.h"

// The block to queue in place of a block. A macro, so that RLP_CALLER() gives the caller of the function that uses it.
#define ITEM(made, queue, block, due_ns) \
  (rlp_wraps_work_of(queue) ? rlp_wrap_item(made, block, RLT_WORK_QUEUE_BLOCK, due_ns, RLP_CALLER()) : (block))

// Returns what to queue in place of a block, as work of the queue; NULL = the block itself.
static void *wrap_work(const void *queue, void *block, uint64_t due_ns, rlp_caller caller) {
  if (block == NULL || !rlp_is_work_item(block)) return rlp_wrap_block_of(queue, block, due_ns, caller);
  if (due_ns != RLP_LATER) rlp_queue_work_item(block, queue, due_ns, caller);
  return NULL;
}

// The program's own function that does with a function what `name` does with a block.
#define WITH_FUNCTION(name) RLP_REAL(__typeof__(&name##_f), name##_f)

// The parameters end in a block. `is_now`: the queue runs it as soon as it can. `is_dropped`: it will never run.
#define QUEUES(name, is_now, due_ns, is_dropped, parameters, ...) \
  RLP_EXPORT void name parameters { \
    RLP_FIND_REAL(name); \
    if (!(is_dropped) && rlp_records_work_of(queue) && WITH_FUNCTION(name) != NULL) { \
      void *work = wrap_work(queue, block, due_ns, RLP_CALLER()); \
      if (work != NULL) WITH_FUNCTION(name)(__VA_ARGS__, work, rlp_run_work); \
      else real(__VA_ARGS__, block); \
      return; \
    } \
    rlp_block made; \
    block = ITEM(&made, queue, block, due_ns); \
    if (is_now && block == &made) made.is_pending = rlp_note_pending(queue); \
    real(__VA_ARGS__, block); \
  }

QUEUES(dispatch_async, 1, 0, 0, (void *queue, void *block), queue)
QUEUES(dispatch_barrier_async, 1, 0, 0, (void *queue, void *block), queue)
QUEUES(dispatch_group_async, 1, 0, 0, (void *group, void *queue, void *block), group, queue)
// dispatch_block_notify calls this function.
QUEUES(dispatch_group_notify, 0, RLP_LATER, 0, (void *group, void *queue, void *block), group, queue)
QUEUES(
    dispatch_after, 0, rlp_dispatch_time_ns(when), when == RLP_NEVER, (uint64_t when, void *queue, void *block), when,
    queue)

// Does not return before the block has run, and does not copy it.
#define WAITS(name, is_barrier) \
  RLP_EXPORT void name(void *queue, void *block) { \
    RLP_FIND_REAL(name); \
    if (rlp_records_work_of(queue)) { \
      if (rlp_queue_may_be_taken(queue, is_barrier) && block != NULL && !rlp_is_work_item(block) \
          && WITH_FUNCTION(name) != NULL) \
        RLP_TAKE_TURN( \
            queue, is_barrier, block, rlp_invoke_block, WITH_FUNCTION(name)(queue, &turn, rlp_run_turn)); \
      else RLP_WAIT_FOR_QUEUE(queue, real(queue, block)); \
      return; \
    } \
    rlp_block made; \
    void *item = ITEM(&made, queue, block, rlp_is_own_queue(queue) ? RLP_LATER : 0); \
    RLP_WAIT_FOR_QUEUE(queue, real(queue, item)); \
    if (item == &made) rlp_discard(made.object, made.session); \
  }

WAITS(dispatch_sync, 0)
WAITS(dispatch_barrier_sync, 1)
WAITS(dispatch_async_and_wait, 0)
WAITS(dispatch_barrier_async_and_wait, 1)
