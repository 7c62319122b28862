// Blocks of our own around a program's blocks.
#ifndef RLP_BLOCKS_H
#define RLP_BLOCKS_H

#include "symbols.h"

typedef struct rlp_block {
  void *isa;
  int flags, reserved;
  void (*invoke)(struct rlp_block *);
  const void *descriptor;
  // Captured:
  struct rlp_block *original;
  uint32_t object;
  uint8_t begin_kind;
} rlp_block;

// Makes `made`, on the caller's stack, a block that runs `original` bracketed by `begin_kind` and its end. Records its
// creation for a loop; `due_ns`: not to run before, on CLOCK_MONOTONIC, 0 = at once. Returns what is to be queued: `made`, or
// `original` where it cannot be wrapped.
void *rlp_wrap_block(rlp_block *made, void *original, uint8_t begin_kind, uint32_t loop, uint64_t due_ns);

#endif
