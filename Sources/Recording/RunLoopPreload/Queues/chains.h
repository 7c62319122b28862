// The code addresses that identify a callout, outermost first.
#ifndef RLP_CHAINS_H
#define RLP_CHAINS_H

#include "preload.h"

enum { RLP_CHAIN_MAX = 8 };

typedef struct {
  uintptr_t addresses[RLP_CHAIN_MAX];
  uint8_t is_program[RLP_CHAIN_MAX];
  size_t count;
  int program_count;
} rlp_chain;

// Adds an address of code. Returns 0 if the address is not code, or the chain is full.
int rlp_chain_add(rlp_chain *chain, uintptr_t address);
// Adds a Swift closure: a function, and a context that may hold the real function if the first one is a thunk.
// `is_sure`: it is known to be a closure; otherwise it only looks like one.
void rlp_chain_add_closure(rlp_chain *chain, const uintptr_t *closure, int is_sure);
void rlp_chain_add_block(rlp_chain *chain, const void *block);

#endif
