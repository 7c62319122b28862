#include "work_ids.h"

#include "objects.h"
#include "thread_stock.h"

enum { BATCH = 32, MOST = 2 * BATCH };

static RLT_TLS struct {
  size_t count;
  uint32_t objects[MOST];
} own;

static void give_back(void) {
  if (rlp_ids != NULL) rlt_objects_release(rlp_ids, own.objects, own.count);
  own.count = 0;
}

uint32_t rlp_work_id_make(void) {
  if (own.count == 0) {
    if (rlp_ids == NULL || !rlp_may_keep(RLP_STOCK_OF_IDS, give_back)) return rlp_object_make();
    own.count = rlt_objects_make(rlp_ids, own.objects, BATCH);
    if (own.count == 0) return 0;
  }
  return own.objects[--own.count];
}

void rlp_work_id_release(uint32_t object) {
  if (object == 0 || rlp_ids == NULL) return;
  if (!rlp_may_keep(RLP_STOCK_OF_IDS, give_back)) {
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
