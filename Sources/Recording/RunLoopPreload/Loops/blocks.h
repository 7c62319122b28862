// The library's own blocks, which wrap a program's blocks.
#ifndef RLP_BLOCKS_H
#define RLP_BLOCKS_H

#include "code.h"
#include "symbols.h"

typedef struct rlp_block {
  void *isa;
  int flags, reserved;
  void (*invoke)(struct rlp_block *);
  const void *descriptor;
  // Captured:
  struct rlp_block *original;
  uint32_t object;   // made when the block was queued; 0 = made when it runs
  uint32_t name;     // 0 = found when the block runs
  uint32_t session;  // the recording that knows the object and the name
  int work;          // RLT_WORK_*
  int is_pending;    // counted among the work that the main queue runs now, see rlp_note_pending
  uint32_t queue;    // for a work item: the queue where it waits; 0 = the main one
  void *source;      // for the handler of a timer: the dispatch source
} rlp_block;

// Turns `made`, which is on the caller's stack, into a block that runs `original` through `invoke`. The block has no
// object or name yet. Returns 0 if blocks cannot be wrapped.
int rlp_wrap_block(rlp_block *made, void *original, int work, void (*invoke)(rlp_block *));

// Records that a wrapped block will never run, or ran while nothing was recorded.
void rlp_discard_block(rlp_block *block);

// The `due_ns` of work whose time of queuing is not known.
#define RLP_LATER UINT64_MAX

// Records that a block of the main queue was queued for the given loop. `due_ns`: the earliest time at which it may
// run, on CLOCK_MONOTONIC; 0 = at once. Returns the block's object.
uint32_t rlp_queue_object(uint32_t name, uint32_t loop, uint64_t due_ns);

#endif
