// The ids and memory that a thread keeps for its next work and gives back when it ends.
#ifndef RLP_THREAD_STOCK_H
#define RLP_THREAD_STOCK_H

#include "preload.h"

enum { RLP_STOCK_OF_IDS, RLP_STOCK_OF_MEMORY, RLP_STOCKS };

// Gives back what the calling thread keeps. It is ending. Called inside `rlp_enter`.
typedef void rlp_giver(void);

// A bit for each stock that the calling thread may keep. The highest bit: it may keep nothing more.
extern RLT_TLS unsigned rlp_stocks;
// The slow path of `rlp_may_keep`.
int rlp_may_begin_to_keep(int stock, rlp_giver *give_back);

// Returns whether the calling thread may keep things of a stock.
static inline int rlp_may_keep(int stock, rlp_giver *give_back) {
  return __builtin_expect((rlp_stocks >> stock & 1) != 0, 1) || rlp_may_begin_to_keep(stock, give_back);
}

#endif
