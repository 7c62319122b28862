// Memory of a spool in the address space of a process.
#ifndef RLTRACE_SPOOL_SPACE_H
#define RLTRACE_SPOOL_SPACE_H

#include <stddef.h>
#include <stdint.h>

#include "rltrace_spool.h"

// The number of rings of a spool that this process maps, from the first one on. It uses no other rings. It maps all
// of them unless its address space is limited. Set before a spool is mapped; may fall later.
extern uint32_t rlt_spool_mapped_rings;
static inline uint32_t rlt_mapped_rings(void) { return __atomic_load_n(&rlt_spool_mapped_rings, __ATOMIC_SEQ_CST); }

// Returns how much of the address space a spool may take: a quarter of what its limit leaves, so that the program has
// room for the stacks and heaps of its own threads. `own` bytes, which a spool takes already, count as not used.
// UINT64_MAX = there is no limit.
uint64_t rlt_spool_address_share(uint64_t own);

// Unmaps rings from `rings` on that no thread has claimed. Returns the number of bytes that stay mapped.
size_t rlt_spool_unmap_rings(rlt_spool *spool, uint32_t rings);

// Whether the program has locked all future memory. Then new memory is unlocked before it takes pages.
extern int rlt_memory_is_locked;
// Returns the number of bytes of a spool that this process maps.
size_t rlt_spool_mapped_bytes(uint64_t slots_per_ring);

// Maps memory for reading and writing with mmap(2). Pages take memory only once they are used. Returns NULL and sets
// errno on failure.
void *rlt_map(void *address, size_t bytes, int flags, int descriptor);

// Maps a file for reading only. Reading a page that was never written does not read ahead other pages. Returns NULL
// and sets errno on failure.
void *rlt_map_read_only(size_t bytes, int descriptor);

#endif
