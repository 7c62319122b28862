#define _GNU_SOURCE
#include "rltrace_spool_rings.h"

#include <string.h>

#include "rltrace_platform.h"
#include "rltrace_spool_space.h"

// Claims the next thread index below `limit`.
static uint32_t claim_thread(rlt_spool *spool, uint32_t limit) {
  uint32_t index = __atomic_load_n(&spool->threads, __ATOMIC_RELAXED);
  while (index < limit) {
    if (__atomic_compare_exchange_n(&spool->threads, &index, index + 1, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      return index;
  }
  return UINT32_MAX;
}

enum { RECORDERS_THREADS_END = 65536 };
uint32_t rlt_spool_claim_thread(rlt_spool *spool) { return claim_thread(spool, RECORDERS_THREADS_END); }

static void note_used(rlt_spool *spool, uint32_t count) {
  uint32_t used = __atomic_load_n(&spool->rings_used, __ATOMIC_RELAXED);
  while (used < count
         && !__atomic_compare_exchange_n(&spool->rings_used, &used, count, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
  }
}

static int take(rlt_ring *ring, uint32_t expected) {
  // Look before the exchange: the exchange would take the cache line away from the ring's thread.
  if (__atomic_load_n(&ring->state, __ATOMIC_RELAXED) != expected) return 0;
  return __atomic_compare_exchange_n(
      &ring->state, &expected, RLT_RING_CLAIMED, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

// Returns whether a ring is reserved for threads with loops, so that these get large rings even if other threads
// claimed many rings before.
static int is_for_loops(uint32_t number) {
  return (number >= RLT_SPOOL_LARGE_RINGS / 2 && number < RLT_SPOOL_LARGE_RINGS)
         || (number >= RLT_SPOOL_FIRST_LOOP_RING && number < RLT_SPOOL_FIRST_SMALL_RING)
         || number >= rlt_mapped_rings() / 2;
}

uint32_t rlt_spool_rings_of_any_thread(void) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < RLT_SPOOL_RINGS; i++) count += !is_for_loops(i);
  return count;
}

// The headers of the rings are backed with memory a few pages at a time.
enum { RINGS_BACKED_AT_ONCE = 128 };
static int has_memory(rlt_spool *spool, uint32_t number) {
  if (number < __atomic_load_n(&spool->rings_backed, __ATOMIC_ACQUIRE)) return 1;
  uint32_t end = number / RINGS_BACKED_AT_ONCE * RINGS_BACKED_AT_ONCE + RINGS_BACKED_AT_ONCE;
  return rlt_spool_back_rings(spool, end < RLT_SPOOL_RINGS ? end : RLT_SPOOL_RINGS);
}

// Takes a ring in the given state; NULL = there is none.
static rlt_ring *take_any(rlt_spool *spool, uint32_t state, int runs_loop, uint32_t *number) {
  for (*number = 0; *number < rlt_mapped_rings(); *number += 1) {
    if (!runs_loop && is_for_loops(*number)) continue;
    if (!has_memory(spool, *number)) return NULL;
    rlt_ring *ring = rlt_spool_ring(spool, *number);
    if (!take(ring, state)) continue;
    if (*number < rlt_mapped_rings()) return ring;
    __atomic_store_n(&ring->state, state, __ATOMIC_SEQ_CST);
  }
  return NULL;
}

// The thread that stores into a ring.
typedef struct {
  uint64_t os_thread;
  int is_main;
  const char *name;
} producer;

static rlt_ring *claim(rlt_spool *spool, int runs_loop, producer by, uint32_t *number) {
  uint64_t slots_per_ring = spool->slots_per_ring;
  if (slots_per_ring == 0) return NULL;  // the file was truncated: see rlt_guard_mapping
  rlt_ring *ring = take_any(spool, RLT_RING_FREE, runs_loop, number);
  // In a spool that overwrites, the drain does not empty the rings of ended threads. One of these is taken if no
  // other ring is left.
  if (ring == NULL && (spool->flags & RLT_SPOOL_OVERWRITES) != 0)
    ring = take_any(spool, RLT_RING_ORPHANED, runs_loop, number);
  if (ring == NULL) return NULL;
  uint32_t thread = claim_thread(spool, RLT_SPOOL_THREADS_MAX);
  if (thread == UINT32_MAX) {
    __atomic_store_n(&ring->state, RLT_RING_FREE, __ATOMIC_RELEASE);
    return NULL;
  }
  ring->capacity = rlt_spool_ring_slots(slots_per_ring, *number);
  ring->slots_offset = rlt_spool_slots_offset(slots_per_ring, *number) - (uint64_t)((char *)ring - (char *)spool);
  ring->lost_pending = 0;
  ring->full_disk_pending = 0;
  // The first event takes the slow path, which backs the ring with memory. In a spool that overwrites, it also stores
  // the first mark.
  ring->limit = ring->head;
  ring->claimed_head = ring->head;
  ring->mark_count = 0;
  __atomic_store_n(&ring->runs, 0, __ATOMIC_RELAXED);  // the watcher for stalls may be reading it
  __atomic_store_n(&ring->mode, 0, __ATOMIC_RELAXED);
  ring->thread = thread;
  ring->os_thread = by.os_thread;
  rlt_spool_append(
      spool, RLT_NAME_THREAD, by.is_main ? 1 : 0, thread, &by.os_thread, sizeof by.os_thread, by.name,
      strlen(by.name));
  note_used(spool, *number + 1);
  __atomic_store_n(&ring->state, RLT_RING_OWNED, __ATOMIC_RELEASE);
  return ring;
}

rlt_ring *rlt_spool_claim(rlt_spool *spool, int runs_loop, int *is_scarce) {
  char name[64];
  rlt_copy_thread_name(name, sizeof name);
  uint32_t number = 0;
  rlt_ring *ring =
      claim(spool, runs_loop, (producer){rlt_os_thread_id(), rlt_is_main_thread(), name}, &number);
  *is_scarce = ring == NULL || number >= RLT_SPOOL_RINGS / 2;
  return ring;
}

rlt_ring *rlt_spool_claim_shared(rlt_spool *spool) {
  uint32_t number;
  // The ring gets the id of the calling thread, because 0 marks the recorder's threads. The ring holds events of
  // threads without loops.
  return claim(spool, 1, (producer){rlt_os_thread_id(), 0, "(threads without a loop)"}, &number);
}

rlt_ring *rlt_spool_claim_main_queue(rlt_spool *spool) {
  uint32_t number;
  return claim(spool, 1, (producer){0, 1, RLT_MAIN_QUEUE_NAME}, &number);
}
