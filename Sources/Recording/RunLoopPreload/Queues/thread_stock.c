#include "thread_stock.h"

#include "bookkeeping.h"

enum { BATCHES = 64, CACHE_LINE = 64 };

RLT_TLS rlp_kept rlp_own_stocks[RLP_STOCKS];
static RLT_TLS int keeps_nothing;  // the thread ends, or its end would not be noticed

// Batches between threads, with a bit for each one that is full, and for each one that is empty. A thread that changes
// a batch has cleared its bit. The bits share no cache line with what each piece of work reads.
static uintptr_t batches[RLP_STOCKS][BATCHES][RLP_BATCH];
static struct {
  __attribute__((aligned(CACHE_LINE))) uint64_t full;
  uint64_t empty;
} states[RLP_STOCKS] = {{.empty = ~UINT64_C(0)}, {.empty = ~UINT64_C(0)}};
_Static_assert(BATCHES == 64 && RLP_STOCKS == 2, "each batch has a bit, and is empty at first");

// Clears one of the bits. Returns its number; -1 = none is set.
static int claim(uint64_t *bits) {
  for (uint64_t found; (found = __atomic_load_n(bits, __ATOMIC_RELAXED)) != 0;) {
    uint64_t bit = found & -found;
    if (__atomic_fetch_and(bits, ~bit, __ATOMIC_ACQUIRE) & bit) return __builtin_ctzll(bit);
  }
  return -1;
}

static void publish(uint64_t *bits, int number) { __atomic_fetch_or(bits, UINT64_C(1) << number, __ATOMIC_RELEASE); }

// MARK: Ends of threads

static rlp_giver *givers[RLP_STOCKS];
static pthread_key_t thread_end_key;
static int has_thread_end_key;
static pthread_once_t thread_end_once = PTHREAD_ONCE_INIT;

static void thread_ended(void *unused) {
  (void)unused;
  keeps_nothing = 1;
  if (!rlp_enter()) return;
  for (int stock = 0; stock < RLP_STOCKS; stock++) {
    rlp_kept *own = &rlp_own_stocks[stock];
    size_t count = own->count;
    own->most = 0;
    rlp_set_kept_count(own, 0);
    if (count > 0) __atomic_load_n(&givers[stock], __ATOMIC_RELAXED)(own->things, count);
  }
  rlp_leave();
}

static void make_thread_end_key(void) { has_thread_end_key = pthread_key_create(&thread_end_key, thread_ended) == 0; }

static int may_keep(int stock, rlp_giver *give_back) {
  rlp_kept *own = &rlp_own_stocks[stock];
  if (own->most != 0) return 1;
  if (keeps_nothing) return 0;
  pthread_once(&thread_end_once, make_thread_end_key);
  keeps_nothing = !has_thread_end_key || pthread_setspecific(thread_end_key, rlp_own_stocks) != 0;
  if (keeps_nothing) return 0;
  __atomic_store_n(&givers[stock], give_back, __ATOMIC_RELAXED);
  own->most = RLP_KEPT_MOST;
  return 1;
}

// MARK: Batches

int rlp_stock_refill(int stock, rlp_giver *give_back) {
  rlp_kept *own = &rlp_own_stocks[stock];
  int number = may_keep(stock, give_back) ? claim(&states[stock].full) : -1;
  if (number < 0) return 0;
  memcpy(own->things, batches[stock][number], sizeof batches[stock][number]);
  publish(&states[stock].empty, number);
  rlp_set_kept_count(own, RLP_BATCH);
  return 1;
}

int rlp_stock_make_room(int stock, rlp_giver *give_back) {
  rlp_kept *own = &rlp_own_stocks[stock];
  if (own->most == 0) return may_keep(stock, give_back);
  rlp_set_kept_count(own, own->count - RLP_BATCH);
  const uintptr_t *batch = own->things + own->count;
  int number = claim(&states[stock].empty);
  if (number >= 0) {
    memcpy(batches[stock][number], batch, sizeof batches[stock][number]);
    publish(&states[stock].full, number);
  } else {
    give_back(batch, RLP_BATCH);
  }
  return 1;
}
