#include "work_ids.h"

#include "objects.h"

enum { BATCH = 32, MOST = 2 * BATCH };

typedef struct {
  size_t count;
  int is_registered;  // 1 = they are given back when the thread ends, -1 = they cannot be, or the thread is ending
  uint32_t objects[MOST];
} own_ids;

static RLT_TLS own_ids own;
static pthread_key_t thread_end_key;
static int has_thread_end_key;
static pthread_once_t thread_end_once = PTHREAD_ONCE_INIT;

static void thread_ended(void *unused) {
  (void)unused;
  own.is_registered = -1;
  if (rlp_ids != NULL) rlt_objects_release(rlp_ids, own.objects, own.count);
  own.count = 0;
}

static void make_thread_end_key(void) { has_thread_end_key = pthread_key_create(&thread_end_key, thread_ended) == 0; }

// Returns whether the calling thread may keep ids.
static int may_keep(void) {
  if (__builtin_expect(own.is_registered != 0, 1)) return own.is_registered > 0;
  pthread_once(&thread_end_once, make_thread_end_key);
  own.is_registered = has_thread_end_key && pthread_setspecific(thread_end_key, &own) == 0 ? 1 : -1;
  return own.is_registered > 0;
}

uint32_t rlp_work_id_make(void) {
  if (own.count == 0) {
    if (rlp_ids == NULL || !may_keep()) return rlp_object_make();
    own.count = rlt_objects_make(rlp_ids, own.objects, BATCH);
    if (own.count == 0) return 0;
  }
  return own.objects[--own.count];
}

void rlp_work_id_release(uint32_t object) {
  if (object == 0 || rlp_ids == NULL) return;
  if (!may_keep()) {
    rlp_object_release(object);
    return;
  }
  uint32_t next = rlt_object_renew(rlp_ids, object);
  if (next == 0) return;
  if (own.count == MOST) {
    own.count -= BATCH;
    rlt_objects_release(rlp_ids, own.objects + own.count, BATCH);
  }
  own.objects[own.count++] = next;
}
