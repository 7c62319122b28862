#include "thread_stock.h"

#include "bookkeeping.h"
#include "work_ids.h"
#include "work_memory.h"

RLT_TLS int rlp_keeps;

static pthread_key_t thread_end_key;
static int has_thread_end_key;
static pthread_once_t thread_end_once = PTHREAD_ONCE_INIT;

static void thread_ended(void *unused) {
  (void)unused;
  rlp_keeps = -1;
  if (!rlp_enter()) return;
  rlp_give_back_work_ids();
  rlp_give_back_work_memory();
  rlp_leave();
}

static void make_thread_end_key(void) { has_thread_end_key = pthread_key_create(&thread_end_key, thread_ended) == 0; }

int rlp_may_begin_to_keep(void) {
  pthread_once(&thread_end_once, make_thread_end_key);
  rlp_keeps = has_thread_end_key && pthread_setspecific(thread_end_key, &rlp_keeps) == 0 ? 1 : -1;
  return rlp_keeps > 0;
}
