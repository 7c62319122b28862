#include "work_ids.h"

#include "objects.h"
#include "thread_stock.h"

static void give_back(const uintptr_t *things, size_t count) {
  uint32_t objects[RLP_KEPT_MOST];
  for (size_t i = 0; i < count; i++) objects[i] = (uint32_t)things[i];
  rlt_objects_release(rlp_ids, objects, count);
}

// Makes ids, and keeps all but one.
static uint32_t make(void) {
  uint32_t objects[RLP_BATCH];
  size_t wanted = rlp_own_stocks[RLP_STOCK_OF_IDS].most == 0 ? 1 : RLP_BATCH;
  size_t count = rlp_ids == NULL ? 0 : rlt_objects_make(rlp_ids, objects, wanted);
  for (size_t i = 1; i < count; i++) rlp_stock_keep(RLP_STOCK_OF_IDS, objects[i], give_back);
  return count == 0 ? 0 : objects[0];
}

uint32_t rlp_work_id_make(void) {
  uint32_t kept = (uint32_t)rlp_stock_take(RLP_STOCK_OF_IDS, give_back);
  return kept != 0 ? kept : make();
}

void rlp_work_id_release(uint32_t object) {
  uint32_t next = object == 0 || rlp_ids == NULL ? 0 : rlt_object_renew(rlp_ids, object);
  if (next != 0) rlp_stock_keep(RLP_STOCK_OF_IDS, next, give_back);
}
