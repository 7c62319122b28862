// The ids and the memory that threads keep for their next work.
//
// Mostly, one thread queues work and another one runs it. So a thread that has too many things of a stock hands a batch
// of them over to other threads, without a lock. A thread that ends gives back what it has.
#ifndef RLP_THREAD_STOCK_H
#define RLP_THREAD_STOCK_H

#include "preload.h"

enum { RLP_STOCK_OF_IDS, RLP_STOCK_OF_MEMORY, RLP_STOCKS };
enum { RLP_BATCH = 32, RLP_KEPT_MOST = 2 * RLP_BATCH };

// The things of a stock that the calling thread has.
typedef struct {
  size_t count;
  size_t most;  // how many it may have: RLP_KEPT_MOST, or 0 before the first one and while the thread ends
  uintptr_t things[RLP_KEPT_MOST];
} rlp_kept;
extern RLT_TLS rlp_kept rlp_own_stocks[RLP_STOCKS];

// Gives back things that no thread keeps. All functions here are called inside `rlp_enter`.
typedef void rlp_giver(const uintptr_t *things, size_t count);

// The slow path of `rlp_stock_take`: takes a batch over. Returns 0 if there is none, or the thread may keep nothing.
int rlp_stock_refill(int stock, rlp_giver *give_back);
// The slow path of `rlp_stock_keep`: makes room. Returns 0 if the thread may keep nothing.
int rlp_stock_make_room(int stock, rlp_giver *give_back);

// A signal handler may jump out of any of these functions for good. So `count` excludes a thing before it is passed on,
// and includes one only after it is stored: at worst, a thing is lost. The order of the stores matters to the same
// thread only.
static inline void rlp_set_kept_count(rlp_kept *own, size_t count) {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  own->count = count;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

// Returns a thing that a thread kept; 0 = there is none.
static inline uintptr_t rlp_stock_take(int stock, rlp_giver *give_back) {
  rlp_kept *own = &rlp_own_stocks[stock];
  if (__builtin_expect(own->count == 0, 0) && !rlp_stock_refill(stock, give_back)) return 0;
  size_t last = own->count - 1;
  rlp_set_kept_count(own, last);
  return own->things[last];
}

// Keeps a thing, or gives it back.
static inline void rlp_stock_keep(int stock, uintptr_t thing, rlp_giver *give_back) {
  rlp_kept *own = &rlp_own_stocks[stock];
  if (__builtin_expect(own->count == own->most, 0) && !rlp_stock_make_room(stock, give_back)) {
    give_back(&thing, 1);
    return;
  }
  own->things[own->count] = thing;
  rlp_set_kept_count(own, own->count + 1);
}

#endif
