#include "thread_variables.h"

#include <pthread.h>
#include <string.h>

#include "rltrace_emit.h"

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void forget(void *value) {
  memset(&rlt_thread, 0, sizeof rlt_thread);
  pthread_setspecific(key, value);
}

static void make_key(void) { pthread_key_create(&key, forget); }

void rlt_forget_variables_at_end(void) {
  pthread_once(&once, make_key);
  pthread_setspecific(key, &key);
}
