// Work of the main dispatch queue, in whatever way it gets there.
//
// What a program queues is wrapped where it is queued. A wrapper records only what a drain of the main queue calls
// itself: so it may stand around anything, on whatever queue it ends up.
#ifndef RLP_MAIN_QUEUE_H
#define RLP_MAIN_QUEUE_H

#include "blocks.h"
#include "queue_lane.h"
#include "recording.h"

typedef struct {
  uint32_t depth;  // of drains on this thread
  int is_in_item;  // what a drain called is under way: what that calls is part of it
} rlp_drain_state;
extern RLT_TLS rlp_drain_state rlp_drain;

// Whether what is queued now is to be wrapped, wherever it goes.
static inline int rlp_wraps_work(void) {
  int state = __atomic_load_n(&rlp_recording_state, __ATOMIC_ACQUIRE);
  return state == RLP_NOT_YET
         || (state == RLP_RECORDING && (rlt_current_spool()->flags & RLT_SPOOL_ACTIVITIES_ONLY) == 0);
}

// Whether it is, and this queue is the main one, or ends there.
int rlp_wraps_work_of(const void *queue);
// Whether this is the main queue and the calling thread is the main thread: waiting for work there ends the program.
int rlp_is_own_queue(const void *queue);

// Whether a wrapper that was just called is an item of the main queue, to be recorded.
static inline int rlp_begins_item(void) {
  return !rlp_drain.is_in_item && rlp_recording_state == RLP_RECORDING
         && (rlp_drain.depth > 0 || rlp_is_on_lane());
}

// The object of an item that is queued now.
uint32_t rlp_item_object(uint32_t name, uint64_t due_ns);

// Runs an item between its events, where it can be recorded, and gives its object back.
void rlp_run_item(uint32_t object, void (*function)(void *), void *context);

// Of a wrapper that nobody can say when it is queued.
#define RLP_LATER UINT64_MAX

// A block around `block`, an item of the main queue: `made`, or what is to be queued in its place. `due_ns`: as of
// rlp_queue_object, or RLP_LATER.
void *rlp_wrap_item(rlp_block *made, void *block, int work, uint64_t due_ns, rlp_caller caller);

// What dispatch_block_create made: dispatch keeps data of its own in such a block, and finds it by its function. It is
// queued as it is; the block inside has our wrapper.
int rlp_is_work_item(const rlp_block *block);
// Whether a block is a wrapper of ours.
int rlp_is_item(const rlp_block *block);
// Tells the wrapper inside that it is queued.
void rlp_queue_work_item(const rlp_block *block, uint64_t due_ns, rlp_caller caller);

// A dispatch_time_t on CLOCK_MONOTONIC; 0 = now, or not to be told.
uint64_t rlp_dispatch_time_ns(uint64_t when);

#endif
