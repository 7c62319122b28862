#include "main_queue.h"

#include "dispatch_timers.h"
#include "loops.h"
#include "names.h"
#include "objects.h"

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
static uint32_t targeting_count;

static int is_main(const void *queue) {
  static void *slot;
  if (queue == NULL) return 0;
  if (queue == rlp_real("_dispatch_main_q", &slot)) return 1;
  uint32_t count = __atomic_load_n(&targeting_count, __ATOMIC_ACQUIRE);
  for (uint32_t i = 0; i < count && i < TARGETING_MAX; i++)
    if (__atomic_load_n(&targeting[i], __ATOMIC_RELAXED) == queue) return 1;
  return 0;
}

static void note_target(const void *queue, const void *target) {
  if (queue == NULL || !rlp_wraps_work() || !is_main(target) || is_main(queue)) return;
  uint32_t at = __atomic_fetch_add(&targeting_count, 1, __ATOMIC_ACQ_REL) % TARGETING_MAX;
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

int rlp_wraps_work_of(const void *queue) { return rlp_wraps_work() && is_main(queue); }

int rlp_is_own_queue(const void *queue) {
  static void *slot;
  return queue == rlp_real("_dispatch_main_q", &slot) && rlt_is_main_thread();
}

uint32_t rlp_item_object(uint32_t name, uint64_t due_ns) {
  uint32_t loop = rlp_lane_loop();
  return rlp_queue_object(name, loop != 0 ? loop : rlp_loop(rlp_main_loop()), due_ns);
}

void rlp_run_item(uint32_t object, void (*function)(void *), void *context) {
  RLP_KEEP_FRAME();
  uint32_t session = rlp_session();
  rlp_turn turn;
  if (!rlp_take_turn(&turn)) {
    rlp_discard(object, session);
    function(context);
    return;
  }
  rlp_drain.is_in_item = 1;
  rlt_emit(RLT_KIND_MAIN_QUEUE_BLOCK_BEGIN, object);
  rlp_leave_lane(&turn);
  function(context);
  rlp_drain.is_in_item = 0;
  // After a fork, the begin event is in the parent's trace.
  if (session == rlp_session()) {
    rlp_enter_lane(&turn);
    rlt_emit(RLT_KIND_MAIN_QUEUE_BLOCK_BEGIN + 1, object);
    rlp_object_release(object);
  }
  rlp_end_turn(&turn);
}

static void invoke_item(rlp_block *block) {
  RLP_KEEP_FRAME();
  if (block->is_pending) rlp_note_begun(&block->is_pending);
  if (!rlp_begins_item()) {
    // The block no longer waits. A work item that the program runs itself still waits.
    if (block->work != RLT_WORK_ITEM)
      rlp_discard(__atomic_exchange_n(&block->object, 0, __ATOMIC_ACQ_REL), block->session);
    block->original->invoke(block->original);
    return;
  }
  if (block->source != NULL && rlp_run_dispatch_timer(block)) return;
  uint32_t object = __atomic_exchange_n(&block->object, 0, __ATOMIC_ACQ_REL);
  int is_known = block->session == rlp_session();
  if (object == 0 || !is_known) {
    uint32_t name = is_known ? block->name : 0;
    if (name == 0) name = rlp_block_name(block->work, block->original, (rlp_caller){0});
    object = rlp_item_object(name, 0);
  }
  rlp_run_item(object, (void (*)(void *))block->original->invoke, block->original);
}

int rlp_is_work_item(const rlp_block *block) {
  static void *slot;
  void *const *invoke = rlp_real("_dispatch_block_special_invoke", &slot);
  return invoke != NULL && (void *)block->invoke == *invoke;
}

int rlp_is_item(const rlp_block *block) { return block->invoke == invoke_item; }

void *rlp_wrap_item(rlp_block *made, void *memory, int work, uint64_t due_ns, rlp_caller caller) {
  rlp_block *block = memory;
  if (block == NULL || rlp_is_item(block)) return block;
  if (rlp_is_work_item(block)) {
    if (due_ns != RLP_LATER) rlp_queue_work_item(block, due_ns, caller);
    return block;
  }
  if (!rlp_wrap_block(made, block, work, invoke_item)) return block;
  if (rlp_is_recording_already()) {
    // The recording may have begun meanwhile.
    made->session = rlp_session();
    made->name = rlp_block_name(work, block, caller);
    if (due_ns != RLP_LATER) made->object = rlp_item_object(made->name, due_ns);
  }
  return made;
}
