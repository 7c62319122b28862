#include "thread_stock.h"

#include "bookkeeping.h"

enum { KEEPS_NOTHING = 1u << 31 };

RLT_TLS unsigned rlp_stocks;

static rlp_giver *givers[RLP_STOCKS];
static pthread_key_t thread_end_key;
static int has_thread_end_key;
static pthread_once_t thread_end_once = PTHREAD_ONCE_INIT;

static void thread_ended(void *unused) {
  (void)unused;
  unsigned kept = rlp_stocks;
  rlp_stocks = KEEPS_NOTHING;
  if (!rlp_enter()) return;
  for (int stock = 0; stock < RLP_STOCKS; stock++)
    if ((kept >> stock & 1) != 0) __atomic_load_n(&givers[stock], __ATOMIC_RELAXED)();
  rlp_leave();
}

static void make_thread_end_key(void) { has_thread_end_key = pthread_key_create(&thread_end_key, thread_ended) == 0; }

int rlp_may_begin_to_keep(int stock, rlp_giver *give_back) {
  if (rlp_stocks == KEEPS_NOTHING) return 0;
  pthread_once(&thread_end_once, make_thread_end_key);
  if (!has_thread_end_key || pthread_setspecific(thread_end_key, &rlp_stocks) != 0) {
    rlp_stocks = KEEPS_NOTHING;
    return 0;
  }
  __atomic_store_n(&givers[stock], give_back, __ATOMIC_RELAXED);
  rlp_stocks |= 1u << stock;
  return 1;
}
