// Work items: blocks made by dispatch_block_create. They can go to any queue, be cancelled, be waited for and be run
// directly. Their contents are wrapped when they are made.
#include "main_queue.h"
#include "memory.h"
#include "objects.h"

static void *wrapped(rlp_block *made, void *block) {
  return block != NULL && rlp_wraps_work() && !rlp_is_work_item(block)
             ? rlp_wrap_item(made, block, RLT_WORK_ITEM, RLP_LATER, (rlp_caller){0})
             : block;
}

#define MAKES(name, parameters, ...) \
  RLP_EXPORT void *name parameters { \
    RLP_FIND_REAL(name, NULL); \
    rlp_block made; \
    return real(__VA_ARGS__); \
  }

MAKES(dispatch_block_create, (unsigned long flags, void *block), flags, wrapped(&made, block))
MAKES(
    dispatch_block_create_with_qos_class, (unsigned long flags, unsigned qos, int priority, void *block), flags, qos,
    priority, wrapped(&made, block))
MAKES(
    dispatch_block_create_with_voucher, (unsigned long flags, void *voucher, void *block), flags, voucher,
    wrapped(&made, block))
MAKES(
    dispatch_block_create_with_voucher_and_qos_class,
    (unsigned long flags, void *voucher, unsigned qos, int priority, void *block), flags, voucher, qos, priority,
    wrapped(&made, block))

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
    if (!rlp_read(copy.block, &inside, sizeof inside) || !rlp_is_item(&inside)) return NULL;
    __atomic_store_n(&is_understood, 1, __ATOMIC_RELAXED);
  }
  return item->magic == (unsigned)WORK_ITEM_MAGIC && item->block != NULL && rlp_is_item(item->block) ? item->block
                                                                                                     : NULL;
}

static int is_cancelled(const rlp_block *block) {
  __auto_type test = RLP_REAL(long (*)(const void *), dispatch_block_testcancel);
  return test != NULL && test(block) != 0;
}

// Dispatch drops a cancelled item when its turn comes, even if the program keeps the item.
RLP_EXPORT void dispatch_block_cancel(void *block) {
  RLP_FIND_REAL(dispatch_block_cancel);
  real(block);
  rlp_block *wrapper = rlp_is_recording_already() && rlp_is_work_item(block) ? wrapper_in(block) : NULL;
  if (wrapper != NULL) rlp_discard(__atomic_exchange_n(&wrapper->object, 0, __ATOMIC_ACQ_REL), wrapper->session);
}

void rlp_queue_work_item(const rlp_block *block, uint64_t due_ns, rlp_caller caller) {
  rlp_block *wrapper = rlp_is_recording_already() ? wrapper_in(block) : NULL;
  if (wrapper == NULL || is_cancelled(block)) return;
  uint32_t earlier = __atomic_load_n(&wrapper->object, __ATOMIC_ACQUIRE);
  // An item that is queued twice is one object. An item queued before a fork does not belong to this recording.
  if (earlier != 0 && wrapper->session == rlp_session()) return;
  if (earlier != 0) __atomic_store_n(&wrapper->object, 0, __ATOMIC_RELEASE);
  wrapper->name = rlp_block_name(RLT_WORK_ITEM, wrapper->original, caller);
  wrapper->session = rlp_session();
  uint32_t nothing = 0, object = rlp_item_object(wrapper->name, due_ns);
  if (!__atomic_compare_exchange_n(&wrapper->object, &nothing, object, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    rlp_object_release(object);
}
