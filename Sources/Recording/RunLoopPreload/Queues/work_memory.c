#include "work_memory.h"

#include "thread_stock.h"

enum { BATCH = 32, MOST = 2 * BATCH, BATCHES = 64 };

// A signal handler may jump out of any of these functions for good. So `count` excludes a piece before it is passed
// on, and includes one only after it is stored: at worst, a piece is lost. The order of the stores matters to the same
// thread only.
static RLT_TLS struct {
  size_t count;
  void *pieces[MOST];
} own;

static void set_own_count(size_t count) {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  own.count = count;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

// Batches between threads, with a bit for each one that is full, and for each one that is empty. A thread that changes
// a batch has cleared its bit.
static void *batches[BATCHES][BATCH];
static uint64_t full, empty = ~UINT64_C(0);
_Static_assert(BATCHES == 64, "each batch has a bit");

// Clears one of the bits. Returns its number; -1 = none is set.
static int claim(uint64_t *bits) {
  for (uint64_t found; (found = __atomic_load_n(bits, __ATOMIC_RELAXED)) != 0;) {
    uint64_t bit = found & -found;
    if (__atomic_fetch_and(bits, ~bit, __ATOMIC_ACQUIRE) & bit) return __builtin_ctzll(bit);
  }
  return -1;
}

static void publish(uint64_t *bits, int number) { __atomic_fetch_or(bits, UINT64_C(1) << number, __ATOMIC_RELEASE); }

// Returns the last piece of the calling thread, which has one.
static void *take_own(void) {
  size_t last = own.count - 1;
  set_own_count(last);
  return own.pieces[last];
}

static void give_back(void) {
  while (own.count > 0) free(take_own());
}

void *rlp_take_work_memory(void) {
  if (own.count == 0) {
    int number = rlp_may_keep(RLP_STOCK_OF_MEMORY, give_back) ? claim(&full) : -1;
    if (number < 0) return malloc(RLP_WORK_BYTES);
    memcpy(own.pieces, batches[number], sizeof batches[number]);
    publish(&empty, number);
    set_own_count(BATCH);
  }
  return take_own();
}

static void hand_over(void) {
  set_own_count(own.count - BATCH);
  int number = claim(&empty);
  if (number >= 0) {
    memcpy(batches[number], own.pieces + own.count, sizeof batches[number]);
    publish(&full, number);
  } else {
    for (size_t i = 0; i < BATCH; i++) free(own.pieces[own.count + i]);
  }
}

void rlp_release_work_memory(void *memory) {
  if (!rlp_may_keep(RLP_STOCK_OF_MEMORY, give_back)) {
    free(memory);
    return;
  }
  if (own.count == MOST) hand_over();
  own.pieces[own.count] = memory;
  set_own_count(own.count + 1);
}
