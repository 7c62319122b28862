#include "queue_waits.h"

#include "rltrace_thread_evidence.h"
#include "symbols.h"

typedef struct {
  const char *queue;
  size_t size;
  uint32_t offset;  // 0 = none, or more than one
} search;

// Runs on a queue that nothing else uses, so one word of the queue has this thread's id.
static void find_own_id(void *context) {
  search *found = context;
  uint32_t own = (uint32_t)rlt_os_thread_id(), places = 0;
  for (uint32_t offset = 0; offset + sizeof(uint64_t) <= found->size; offset += sizeof(uint64_t)) {
    uint32_t word;
    memcpy(&word, found->queue + offset, sizeof word);
    if ((word & RLT_QUEUE_OWNER_MASK) != own) continue;
    found->offset = offset;
    places++;
  }
  if (places != 1) found->offset = 0;
}

// Returns the offset of the only word that has the thread's id while a block runs, and not afterwards; 0 = none.
static uint32_t learned_offset(void) {
  __auto_type create = RLP_REAL(void *(*)(const char *, void *), dispatch_queue_create);
  __auto_type sync = RLP_REAL(void (*)(void *, void *, void (*)(void *)), dispatch_sync_f);
  __auto_type release = RLP_REAL(void (*)(void *), dispatch_release);
  if (create == NULL || sync == NULL || release == NULL) return 0;
  void *queue = create("rltrace", NULL);
  if (queue == NULL) return 0;
  search found = {.queue = queue, .size = malloc_usable_size(queue)};
  uint32_t own = (uint32_t)rlt_os_thread_id(), word = own;
  sync(queue, &found, find_own_id);
  memcpy(&word, found.queue + found.offset, sizeof word);
  if ((word & RLT_QUEUE_OWNER_MASK) == own) found.offset = 0;
  release(queue);
  return found.offset;
}

int rlp_has_looked_for_owner;

void rlp_look_for_owner(void) {
  if (__atomic_exchange_n(&rlp_has_looked_for_owner, 1, __ATOMIC_RELAXED) == 0)
    rlt_set_queue_owner_offset(learned_offset());
}
