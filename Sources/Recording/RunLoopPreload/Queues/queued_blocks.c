// Blocks that a program puts on the main dispatch queue.
#include "main_queue.h"
#include "objects.h"
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

// dispatch_time_t stores a monotonic time as a value that counts up, and a wall-clock time as a negative value that
// counts down. Dispatch is asked for the current values of both.
uint64_t rlp_dispatch_time_ns(uint64_t when) {
  __auto_type time = RLP_REAL(uint64_t (*)(uint64_t, int64_t), dispatch_time);
  __auto_type wall_time = RLP_REAL(uint64_t (*)(const struct timespec *, int64_t), dispatch_walltime);
  if (time == NULL || wall_time == NULL) return 0;
  enum { CLOCK_BITS = 62, SAME_NS = 1000000 };
  uint64_t now = time(0, 0), wall_now = wall_time(NULL, 0), monotonic_now = rlt_monotonic_ns();
  int is_ours = when >> CLOCK_BITS == now >> CLOCK_BITS;
  int64_t delay = is_ours                                          ? (int64_t)(when - now)
                  : when >> CLOCK_BITS == wall_now >> CLOCK_BITS ? (int64_t)(wall_now - when)
                                                                      : 0;
  if (delay <= 0) return 0;
  // On Linux it is the same clock, and the value is used as it is.
  return is_ours && monotonic_now - now < SAME_NS ? when : monotonic_now + (uint64_t)delay;
}
