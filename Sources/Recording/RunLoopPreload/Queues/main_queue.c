#include "main_queue.h"

#include "loops.h"

RLP_EXPORT void _dispatch_main_queue_callback_4CF(void *message) {
  RLP_KEEP_FRAME();
  RLP_FIND_REAL(_dispatch_main_queue_callback_4CF);
  if (!rlp_records_callouts()) {
    real(message);
    return;
  }
  uint32_t loop = rlp_loop(rlp_main_loop());
  rlp_drain_state outer = rlp_drain;
  uint32_t session = rlp_session();
  rlp_drain = (rlp_drain_state){outer.depth + 1, 0};
  rlt_emit(RLT_KIND_MAIN_QUEUE_DRAIN_BEGIN, loop);
  real(message);
  if (session == rlp_session()) rlt_emit(RLT_KIND_MAIN_QUEUE_DRAIN_BEGIN + 1, loop);
  rlp_drain = outer;
}

// Queues whose target is the main one. Reused addresses do no harm, because only drains are recorded.
enum { TARGETING_MAX = 64 };
static const void *targeting[TARGETING_MAX];
uint32_t rlp_targeting_count;

int rlp_is_targeting(const void *queue) {
  uint32_t count = __atomic_load_n(&rlp_targeting_count, __ATOMIC_ACQUIRE);
  for (uint32_t i = 0; i < count && i < TARGETING_MAX; i++)
    if (__atomic_load_n(&targeting[i], __ATOMIC_RELAXED) == queue) return 1;
  return 0;
}

static void note_target(const void *queue, const void *target) {
  if (queue == NULL || !rlp_wraps_work() || !rlp_targets_main_queue(target) || rlp_targets_main_queue(queue)) return;
  uint32_t at = __atomic_fetch_add(&rlp_targeting_count, 1, __ATOMIC_ACQ_REL) % TARGETING_MAX;
  __atomic_store_n(&targeting[at], queue, __ATOMIC_RELEASE);
}

RLP_EXPORT void *dispatch_queue_create_with_target(const char *label, void *attributes, void *target) {
  RLP_FIND_REAL(dispatch_queue_create_with_target, NULL);
  void *queue = real(label, attributes, target);
  note_target(queue, target);
  return queue;
}

RLP_EXPORT void dispatch_set_target_queue(void *object, void *target) {
  RLP_FIND_REAL(dispatch_set_target_queue);
  real(object, target);
  note_target(object, target);
}

int rlp_is_own_queue(const void *queue) { return queue == rlp_main_queue() && rlt_is_main_thread(); }
