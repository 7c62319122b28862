// The code addresses that identify a callout, outermost first.
#ifndef RLP_CHAINS_H
#define RLP_CHAINS_H

#include "preload.h"

enum { RLP_CHAIN_MAX = 8 };

// A closure inside a context: its position there, in words, and its first word.
typedef struct {
  size_t at;
  uintptr_t word;
} rlp_inner_closure;

typedef struct {
  uintptr_t addresses[RLP_CHAIN_MAX];
  uint8_t is_program[RLP_CHAIN_MAX];
  size_t count;
  int program_count;
  rlp_inner_closure inner[RLP_CHAIN_MAX];  // outermost first
  size_t inner_count;
  int has_operation;  // a closure was found through an object, not by its position
} rlp_chain;

// Adds an address of code. Returns 0 if the address is not code, or the chain is full.
int rlp_chain_add(rlp_chain *chain, uintptr_t address);
// Adds a Swift closure: a function, and a context that may hold the real function if the first one is a thunk.
// `is_sure`: it is known to be a closure; otherwise it only looks like one.
void rlp_chain_add_closure(rlp_chain *chain, const uintptr_t *closure, int is_sure);
void rlp_chain_add_block(rlp_chain *chain, const void *block);
// Returns the closure that a block may have been made from, as the words of the block from `*at` on; NULL = the block
// is too small.
const uintptr_t *rlp_block_closure(const void *block, size_t *at);

#endif
