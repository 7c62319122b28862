#include "objects.h"

#include "rltrace_frame_sources.h"
#include "rltrace_spool_space.h"

enum { ENTRY_BITS = 18, ENTRIES = 1 << ENTRY_BITS };

static rlp_entry *entries;
static uint32_t entry_count;

void rlp_prepare_objects(void) {
  if (entries == NULL) entries = rlt_map(NULL, ENTRIES * sizeof *entries, MAP_PRIVATE | MAP_ANONYMOUS, -1);
}

static uint32_t index_of(uint64_t key) { return (uint32_t)(key * 0x9E3779B97F4A7C15u >> (64 - ENTRY_BITS)); }

rlp_entry *rlp_find(uint64_t key) {
  if (entries == NULL) return NULL;
  for (uint32_t at = index_of(key), i = 0; i < ENTRIES; i++, at = (at + 1) % ENTRIES) {
    uint64_t found = __atomic_load_n(&entries[at].key, __ATOMIC_ACQUIRE);
    if (found == key) return &entries[at];
    if (found == 0) return NULL;
  }
  return NULL;
}

// Called with the tables locked.
static rlp_entry *find_or_take(uint64_t key) {
  rlp_entry *entry = rlp_find(key);
  if (entry != NULL || entry_count >= ENTRIES * 3 / 4) return entry;
  uint32_t at = index_of(key);
  while (entries[at].key != 0) at = (at + 1) % ENTRIES;
  entry_count += 1;
  return &entries[at];
}

// Makes the entry refer to a new object. The key is stored last.
static void renew(rlp_entry *entry, uint64_t key) {
  if (entry->key == key) {
    rlt_topology_item_ended(entry->object);
    rlp_object_release(entry->object);
  }
  entry->object = rlp_object_make();
  entry->session = rlp_session();
  entry->is_dead = 0;
  entry->is_named = entry->is_reused = 0;
  __atomic_store_n(&entry->key, key, __ATOMIC_RELEASE);
}

rlp_entry *rlp_find_or_place(uint64_t key, int *is_new) {
  *is_new = 0;
  if (entries == NULL || key == 0) return NULL;
  rlp_lock();
  rlp_entry *entry = find_or_take(key);
  if (entry != NULL && (entry->key != key || entry->is_dead)) {
    *is_new = 1;
    renew(entry, key);
  }
  rlp_unlock();
  return entry;
}

rlp_entry *rlp_place(uint64_t key) {
  if (entries == NULL || key == 0) return NULL;
  rlp_lock();
  rlp_entry *entry = find_or_take(key);
  if (entry != NULL) renew(entry, key);
  rlp_unlock();
  return entry;
}

void rlp_place_alias(uint64_t key, uint32_t object) {
  if (entries == NULL) return;
  rlp_lock();
  rlp_entry *entry = find_or_take(key);
  if (entry != NULL) {
    entry->object = object;
    entry->session = rlp_session();
    __atomic_store_n(&entry->key, key, __ATOMIC_RELEASE);
  }
  rlp_unlock();
}

uint32_t rlp_known_object(const void *item) {
  // Signal handlers may reach this through CFRunLoopSourceSignal. Therefore no recording begins here, and no lock is
  // taken.
  if (item == NULL || !rlp_is_recording_already() || !rlp_brackets_callouts()) return 0;
  const rlp_entry *entry = rlp_find(rlp_key(item));
  return entry == NULL || entry->is_dead || entry->session != rlp_session() ? 0 : entry->object;
}

void rlp_note_invalidated(const void *item, uint8_t kind) {
  uint32_t object = rlp_known_object(item);
  if (object == 0 || __atomic_exchange_n(&rlp_find(rlp_key(item))->is_dead, 1, __ATOMIC_ACQ_REL) != 0) return;
  if (kind != 0) rlt_emit(kind, object);
  rlt_topology_item_ended(object);
  rlt_forget_frames(object);
}
