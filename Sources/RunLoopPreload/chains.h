// The addresses of code that stand for a callout, outermost first.
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

// Adds an address of code; 0 when it is none, or the chain is full.
int rlp_chain_add(rlp_chain *chain, uintptr_t address);
// A Swift closure: a function, and a context that may hold the function behind a thunk. `is_sure`: it is one; else it
// only looks like one.
void rlp_chain_add_closure(rlp_chain *chain, const uintptr_t *closure, int is_sure);
void rlp_chain_add_block(rlp_chain *chain, const void *block);

#endif
