// Work of the main dispatch queue, however it gets there.
//
// Blocks and functions are wrapped when the program queues them. A wrapper records only if a drain of the main queue
// calls it directly, so anything may be wrapped, whatever queue it ends up on.
#ifndef RLP_MAIN_QUEUE_H
#define RLP_MAIN_QUEUE_H

#include "blocks.h"
#include "queue_lane.h"
#include "recording.h"

// Returns whether work that is queued now is to be wrapped, for any queue.
static inline int rlp_wraps_work(void) {
  int state = __atomic_load_n(&rlp_recording_state, __ATOMIC_ACQUIRE);
  return state == RLP_NOT_YET
         || (state == RLP_RECORDING && (rlt_current_spool()->flags & RLT_SPOOL_ACTIVITIES_ONLY) == 0);
}

// Returns whether work is to be wrapped and the queue is the main one or targets it.
int rlp_wraps_work_of(const void *queue);
// Returns whether this is the main queue and the calling thread is the main thread. Waiting for work there ends the
// program.
int rlp_is_own_queue(const void *queue);

// Returns the object of an item that is queued now.
uint32_t rlp_item_object(uint32_t name, uint64_t due_ns);

// Runs an item between its events, if it can be recorded, and gives its object back.
void rlp_run_item(uint32_t object, void (*function)(void *), void *context);

// The `due_ns` of a wrapper whose time of queuing is not known.
#define RLP_LATER UINT64_MAX

// Returns the block to queue in place of `block`, an item of the main queue: `made`, or `block` itself if it needs no
// wrapper. `due_ns` is as for rlp_queue_object, or RLP_LATER.
void *rlp_wrap_item(rlp_block *made, void *block, int work, uint64_t due_ns, rlp_caller caller);

// Returns whether dispatch_block_create made a block. Dispatch keeps its own data in such a block and recognizes it
// by its function. It is queued as it is; the block inside has our wrapper.
int rlp_is_work_item(const rlp_block *block);
// Returns whether a block is one of our wrappers.
int rlp_is_item(const rlp_block *block);
// Notes, in the wrapper inside a work item, that the item is queued.
void rlp_queue_work_item(const rlp_block *block, uint64_t due_ns, rlp_caller caller);

// Converts a dispatch_time_t to CLOCK_MONOTONIC; 0 = now, or not known.
uint64_t rlp_dispatch_time_ns(uint64_t when);

#endif
