#define _GNU_SOURCE
#include "rltrace_spool_space.h"

#include <sys/mman.h>

#include "rltrace_platform.h"

uint32_t rlt_spool_mapped_rings = RLT_SPOOL_RINGS;

size_t rlt_spool_mapped_bytes(uint64_t slots_per_ring) {
  return rlt_spool_slots_offset(slots_per_ring, rlt_mapped_rings());
}

int rlt_memory_is_locked;

static void *map(void *address, size_t bytes, int protection, int flags, int descriptor) {
  // The system fills locked memory at once, unless it cannot be accessed.
  int is_locked = __atomic_load_n(&rlt_memory_is_locked, __ATOMIC_RELAXED);
  void *memory = mmap(address, bytes, is_locked ? PROT_NONE : protection, flags | MAP_NORESERVE, descriptor, 0);
  if (memory == MAP_FAILED) return NULL;
  if (is_locked && (munlock(memory, bytes) != 0 || mprotect(memory, bytes, protection) != 0)) {
    munmap(memory, bytes);
    return NULL;
  }
  // Without this advice, the first store into a page of a spool's file would read the pages around it. These can be
  // megabytes of zeros if the disk reads far ahead. The advice covers the whole mapping, because advice for a part of
  // it would split the mapping.
  if (descriptor >= 0 && (flags & MAP_SHARED) != 0) rlt_read_only_used_pages(memory, bytes);
  return memory;
}

void *rlt_map(void *address, size_t bytes, int flags, int descriptor) {
  return map(address, bytes, PROT_READ | PROT_WRITE, flags, descriptor);
}

void *rlt_map_read_only(size_t bytes, int descriptor) {
  return map(NULL, bytes, PROT_READ, MAP_SHARED, descriptor);
}

uint64_t rlt_spool_address_share(uint64_t own) {
  enum { SHARE = 4 };
  uint64_t left = rlt_free_address_space(own);
  return left == UINT64_MAX ? left : left / SHARE;
}

size_t rlt_spool_unmap_rings(rlt_spool *spool, uint32_t rings) {
  uint32_t mapped = rlt_mapped_rings();
  size_t before = rlt_spool_mapped_bytes(spool->slots_per_ring);
  if (rings >= mapped) return before;
  // A thread that claims a ring looks at this number afterwards, and this function looks at the claims afterwards. So
  // at least one of them sees the other's store.
  __atomic_store_n(&rlt_spool_mapped_rings, rings, __ATOMIC_SEQ_CST);
  // The headers beyond the backed ones were never touched.
  uint64_t backed = __atomic_load_n(&spool->rings_backed, __ATOMIC_SEQ_CST), kept = rings;
  for (uint32_t i = rings; i < mapped && i < backed; i++)
    if (__atomic_load_n(&rlt_spool_ring(spool, i)->state, __ATOMIC_SEQ_CST) != RLT_RING_FREE) kept = i + 1;
  __atomic_store_n(&rlt_spool_mapped_rings, (uint32_t)kept, __ATOMIC_SEQ_CST);
  size_t bytes = rlt_spool_mapped_bytes(spool->slots_per_ring);
  bytes = (bytes + 65535) / 65536 * 65536;  // the largest page size
  if (bytes < before) munmap((char *)spool + bytes, before - bytes);
  return bytes < before ? bytes : before;
}
