#include "items.h"

#include "dispatch_timers.h"
#include "loops.h"
#include "memory.h"
#include "objects.h"
#include "queue_lane.h"
#include "tasks.h"

uint32_t rlp_item_object(uint32_t name, uint64_t due_ns) {
  uint32_t loop = rlp_lane_loop();
  // If the queue is never served, this is all that the recording shows.
  rlt_spool *spool = rlt_current_spool();
  if (rlp_records_queues() && (rlt_spool_seen(spool) & RLT_SEEN_WORK) == 0) rlt_spool_note(spool, RLT_SEEN_WORK);
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
  if (rlp_records_queues()) rlp_end_main_job();
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
  if (block->queue != 0) {
    uint32_t object = __atomic_exchange_n(&block->object, 0, __ATOMIC_ACQ_REL);
    rlp_run_slice(object, block->session, block->queue, rlp_invoke_block, block->original);
    return;
  }
  if (!rlp_begins_item()) {
    if (block->work == RLT_WORK_QUEUE_SOURCE && rlp_run_handler(block)) return;
    // The block no longer waits. A work item that the program runs itself still waits.
    if (block->work != RLT_WORK_ITEM) rlp_discard_block(block);
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
  void *const *invoke = RLP_REAL(void *const *, _dispatch_block_special_invoke);
  return invoke != NULL && (void *)block->invoke == *invoke;
}

static int is_item(const rlp_block *block) { return block->invoke == invoke_item; }

// The part of dispatch's data in a work item that is needed here.
typedef struct {
  void *isa;
  int flags, reserved;
  void *invoke;
  const void *descriptor;
  unsigned long magic, item_flags;
  unsigned state;
  int runs;
  unsigned long priority;
  void *voucher;
  rlp_block *block;
} work_item;

enum { WORK_ITEM_MAGIC = 0xD159B10C };

// Returns the wrapper in a work item; NULL if it has none, or has another layout.
static rlp_block *wrapper_in(const rlp_block *block) {
  static int is_understood;  // 1 = yes, -1 = no
  const work_item *item = (const work_item *)block;
  int known = __atomic_load_n(&is_understood, __ATOMIC_RELAXED);
  if (known < 0) return NULL;
  if (known == 0) {
    // The first item is read through the kernel, because its layout is not certain.
    work_item copy;
    rlp_block inside;
    if (!rlp_read(item, &copy, sizeof copy) || copy.magic != (unsigned)WORK_ITEM_MAGIC) {
      __atomic_store_n(&is_understood, -1, __ATOMIC_RELAXED);
      return NULL;
    }
    if (!rlp_read(copy.block, &inside, sizeof inside) || !is_item(&inside)) return NULL;
    __atomic_store_n(&is_understood, 1, __ATOMIC_RELAXED);
  }
  return item->magic == (unsigned)WORK_ITEM_MAGIC && item->block != NULL && is_item(item->block) ? item->block : NULL;
}

static int is_cancelled(const rlp_block *block) {
  __auto_type test = RLP_REAL(long (*)(const void *), dispatch_block_testcancel);
  return test != NULL && test(block) != 0;
}

void rlp_discard_work_item(const rlp_block *block) {
  rlp_block *wrapper = wrapper_in(block);
  if (wrapper != NULL) rlp_discard_block(wrapper);
}

// The wrapper inside a work item notes that the item is queued. The main queue is NULL.
void rlp_queue_work_item(const rlp_block *block, const void *queue, uint64_t due_ns, rlp_caller caller) {
  rlp_block *wrapper = rlp_is_recording_already() ? wrapper_in(block) : NULL;
  if (wrapper == NULL || is_cancelled(block)) return;
  uint32_t earlier = __atomic_load_n(&wrapper->object, __ATOMIC_ACQUIRE);
  // An item that is queued twice is one object. An item queued before a fork does not belong to this recording.
  if (earlier != 0 && wrapper->session == rlp_session()) return;
  if (earlier != 0) __atomic_store_n(&wrapper->object, 0, __ATOMIC_RELEASE);
  wrapper->session = rlp_session();
  wrapper->queue = 0;
  uint32_t nothing = 0, object;
  if (queue != NULL) {
    object = rlp_create_work_of_item(wrapper, queue, due_ns, caller);
  } else {
    wrapper->name = rlp_block_name(RLT_WORK_ITEM, wrapper->original, caller);
    object = rlp_item_object(wrapper->name, due_ns);
  }
  if (!__atomic_compare_exchange_n(&wrapper->object, &nothing, object, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    rlp_object_release(object);
}

void *rlp_wrap_item(rlp_block *made, void *memory, int work, uint64_t due_ns, rlp_caller caller) {
  rlp_block *block = memory;
  if (block == NULL || is_item(block)) return block;
  if (rlp_is_work_item(block)) {
    if (due_ns != RLP_LATER) rlp_queue_work_item(block, NULL, due_ns, caller);
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
