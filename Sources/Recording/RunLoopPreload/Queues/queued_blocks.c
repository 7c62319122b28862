// Blocks that a program puts on the main dispatch queue.
#include "dispatch_time.h"
#include "items.h"
#include "main_queue.h"
#include "objects.h"
#include "queue_lane.h"
#include "queue_waits.h"

// The block to queue in place of a block. A macro, so that RLP_CALLER() gives the caller of the function that uses it.
#define ITEM(made, queue, block, due_ns) \
  (rlp_wraps_work_of(queue) ? rlp_wrap_item(made, block, RLT_WORK_QUEUE_BLOCK, due_ns, RLP_CALLER()) : (block))

// `is_now`: the queue runs it as soon as it can.
#define QUEUES(name, is_now, due_ns, parameters, ...) \
  RLP_EXPORT void name parameters { \
    RLP_FIND_REAL(name); \
    rlp_block made; \
    block = ITEM(&made, queue, block, due_ns); \
    if (is_now && block == &made) made.is_pending = rlp_note_pending(queue); \
    real(__VA_ARGS__); \
  }

QUEUES(dispatch_async, 1, 0, (void *queue, void *block), queue, block)
QUEUES(dispatch_barrier_async, 1, 0, (void *queue, void *block), queue, block)
QUEUES(dispatch_group_async, 1, 0, (void *group, void *queue, void *block), group, queue, block)
// dispatch_block_notify calls this function.
QUEUES(dispatch_group_notify, 0, RLP_LATER, (void *group, void *queue, void *block), group, queue, block)
QUEUES(dispatch_after, 0, rlp_dispatch_time_ns(when), (uint64_t when, void *queue, void *block), when, queue, block)

// Does not return before the block has run, and does not copy it.
#define WAITS(name) \
  RLP_EXPORT void name(void *queue, void *block) { \
    RLP_FIND_REAL(name); \
    rlp_block made; \
    void *item = ITEM(&made, queue, block, rlp_is_own_queue(queue) ? RLP_LATER : 0); \
    RLP_WAIT_FOR_QUEUE(queue, real(queue, item)); \
    if (item == &made) rlp_discard(made.object, made.session); \
  }

WAITS(dispatch_sync)
WAITS(dispatch_barrier_sync)
WAITS(dispatch_async_and_wait)
WAITS(dispatch_barrier_async_and_wait)
