// Work items: blocks made by dispatch_block_create. They can go to any queue, be cancelled, be waited for and be run
// directly. Their contents are wrapped when they are made.
#include "items.h"
#include "main_queue.h"

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

// Dispatch drops a cancelled item when its turn comes, even if the program keeps the item.
RLP_EXPORT void dispatch_block_cancel(void *block) {
  RLP_FIND_REAL(dispatch_block_cancel);
  real(block);
  if (rlp_is_recording_already() && rlp_is_work_item(block)) rlp_discard_work_item(block);
}
