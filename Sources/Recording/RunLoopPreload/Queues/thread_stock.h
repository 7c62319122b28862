// Ids and memory that a thread keeps for its next work, and gives back when it ends.
#ifndef RLP_THREAD_STOCK_H
#define RLP_THREAD_STOCK_H

#include "preload.h"

// 1 = the calling thread may keep things, -1 = it may not, or it is ending, 0 = not known yet.
extern RLT_TLS int rlp_keeps;
// The slow path of `rlp_may_keep`.
int rlp_may_begin_to_keep(void);

// Returns whether the calling thread may keep things.
static inline int rlp_may_keep(void) {
  return __builtin_expect(rlp_keeps != 0, 1) ? rlp_keeps > 0 : rlp_may_begin_to_keep();
}

#endif
