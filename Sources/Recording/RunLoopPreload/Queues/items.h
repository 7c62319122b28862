// Work of the main dispatch queue, however it gets there.
//
// Blocks and functions are wrapped when the program queues them. A wrapper records only if a drain of the main queue
// calls it directly, so anything may be wrapped, whatever queue it ends up on.
#ifndef RLP_ITEMS_H
#define RLP_ITEMS_H

#include "blocks.h"

// Returns the object of an item that is queued now.
uint32_t rlp_item_object(uint32_t name, uint64_t due_ns);

// Runs an item between its events, if it can be recorded, and gives its object back.
void rlp_run_item(uint32_t object, void (*function)(void *), void *context);

// Returns the block to queue in place of `block`, an item of the main queue: `made`, or `block` itself if it needs no
// wrapper. `due_ns` is as for rlp_queue_object, or RLP_LATER.
void *rlp_wrap_item(rlp_block *made, void *block, int work, uint64_t due_ns, rlp_caller caller);

// Returns whether dispatch_block_create made a block. Dispatch keeps its own data in such a block and recognizes it
// by its function. It is queued as it is; the block inside has our wrapper.
int rlp_is_work_item(const rlp_block *block);
// Notes that a work item is queued, in a queue other than the main one. `due_ns` is as for rlp_queue_object.
void rlp_queue_work_item(const rlp_block *block, const void *queue, uint64_t due_ns, rlp_caller caller);
// Notes that a work item will never run.
void rlp_discard_work_item(const rlp_block *block);

#endif
