#include "task_table.h"

#include "jobs.h"
#include "objects.h"
#include "rltrace_spool_space.h"
#include "work_ids.h"

enum { ENTRIES_BITS = 18, ENTRIES = 1 << ENTRIES_BITS, PLACES = 64, TRIES = 1000 };

// The address of a free entry. An entry that was never used ends a search.
static const uintptr_t never_used = 0, was_freed = 1;

static rlp_task *entries;

static rlp_task *table(void) {
  rlp_task *found = __atomic_load_n(&entries, __ATOMIC_ACQUIRE), *nothing = NULL;
  if (__builtin_expect(found != NULL, 1)) return found;
  size_t bytes = ENTRIES * sizeof *found;
  found = rlt_map(NULL, bytes, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  if (found == NULL) return NULL;
  // Another thread may have been faster.
  if (__atomic_compare_exchange_n(&entries, &nothing, found, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return found;
  munmap(found, bytes);
  return nothing;
}

// Returns the entry with a task's address, or, in `free_entry`, one that may get it.
static rlp_task *search(uintptr_t task, rlp_task **free_entry) {
  rlp_task *all = table();
  *free_entry = NULL;
  if (all == NULL) return NULL;
  uint64_t first = task * 0x9E3779B97F4A7C15u >> (64 - ENTRIES_BITS);
  for (uint64_t i = 0; i < PLACES; i++) {
    rlp_task *at = &all[(first + i) % ENTRIES];
    uintptr_t found = __atomic_load_n(&at->task, __ATOMIC_ACQUIRE);
    if (found == task) return at;
    if (*free_entry == NULL && (found == never_used || found == was_freed)) *free_entry = at;
    if (found == never_used) break;
  }
  return NULL;
}

// Returns the object of an entry once it is filled; 0 = the entry was freed, or is not filled in time.
static uint32_t object_of(const rlp_task *entry, uintptr_t task) {
  for (int i = 0; i < TRIES; i++) {
    uint32_t object = __atomic_load_n(&entry->object, __ATOMIC_ACQUIRE);
    if (object != 0) return object;
    if (__atomic_load_n(&entry->task, __ATOMIC_RELAXED) != task) return 0;
#if defined(__x86_64__)
    _mm_pause();
#endif
  }
  return 0;
}

static int is_current(const rlp_task *entry, const void *task) {
  return entry->session == rlp_session() && entry->number == rlp_task_number(task);
}

rlp_task *rlp_find_task(const void *task) {
  rlp_task *free_entry, *found = search((uintptr_t)task, &free_entry);
  return found != NULL && object_of(found, (uintptr_t)task) != 0 && is_current(found, task) ? found : NULL;
}

static rlp_task *fill(rlp_task *entry, const void *task, rlp_task_facts *facts) {
  uint32_t object = facts->object != 0 ? facts->object : rlp_work_id_make();
  facts->object = 0;
  entry->number = rlp_task_number(task);
  entry->session = rlp_session();
  entry->is_created = entry->is_elsewhere = entry->queue = entry->slices = 0;
  entry->name = facts->name;
  entry->parent = facts->parent;
  entry->site = facts->site;
  if (object == 0) __atomic_store_n(&entry->task, was_freed, __ATOMIC_RELEASE);
  else __atomic_store_n(&entry->object, object, __ATOMIC_RELEASE);
  return object == 0 ? NULL : entry;
}

// The task that had the address was destroyed. If a thread still has its last slice, that thread records the end.
static void discard(const rlp_task *entry, uint32_t object) {
  if (!rlp_knows(object, entry->session) || __atomic_load_n(&entry->slices, __ATOMIC_RELAXED) != 0) return;
  if (entry->is_created) rlt_emit(RLT_KIND_WORK_DISCARD, object);
  rlp_work_id_release(object);
}

rlp_task *rlp_add_task(const void *task, rlp_task_facts *facts) {
  uintptr_t address = (uintptr_t)task;
  enum { SEARCHES = 8 };
  for (int i = 0; i < SEARCHES; i++) {
    rlp_task *free_entry, *found = search(address, &free_entry);
    if (found != NULL) {
      uint32_t object = object_of(found, address);
      if (object == 0) continue;
      if (is_current(found, task)) return found;
      if (!__atomic_compare_exchange_n(&found->object, &object, 0, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) continue;
      discard(found, object);
      return fill(found, task, facts);
    }
    if (free_entry == NULL) return NULL;
    uintptr_t earlier = __atomic_load_n(&free_entry->task, __ATOMIC_RELAXED);
    if (earlier != never_used && earlier != was_freed) continue;
    if (__atomic_compare_exchange_n(&free_entry->task, &earlier, address, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
      return fill(free_entry, task, facts);
  }
  return NULL;
}

void rlp_begin_task_slice(rlp_task *entry) { __atomic_add_fetch(&entry->slices, 1, __ATOMIC_RELAXED); }

void rlp_end_task_slice(rlp_task *entry, uint32_t object) {
  if (__atomic_load_n(&entry->object, __ATOMIC_RELAXED) == object)
    __atomic_sub_fetch(&entry->slices, 1, __ATOMIC_RELAXED);
}

void rlp_forget_task(rlp_task *entry, uint32_t object) {
  if (__atomic_compare_exchange_n(&entry->object, &object, 0, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
    __atomic_store_n(&entry->task, was_freed, __ATOMIC_RELEASE);
}
