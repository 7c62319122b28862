#include "objects.h"

#include "recording.h"

enum { ENTRIES = 1 << 18, SLOT_BITS = 20, SLOTS = 1 << SLOT_BITS };

static rlp_entry *entries;
static uint32_t entry_count;
static uint16_t *generations;  // by slot
static uint32_t *free_slots;
static uint32_t slot_count = 1, free_count;
uint32_t rlp_session_;

static void *reserve(size_t bytes) {
  void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

void rlp_objects_begin(uint32_t session) {
  if (entries == NULL) {
    entries = reserve(ENTRIES * sizeof *entries);
    generations = reserve(SLOTS * sizeof *generations);
    free_slots = reserve(SLOTS * sizeof *free_slots);
  }
  rlp_session_ = session;
}


static uint32_t make(void) {
  if (generations == NULL || free_slots == NULL) return 0;
  uint32_t slot = free_count > 0 ? free_slots[--free_count] : slot_count < SLOTS ? slot_count++ : 0;
  return slot == 0 ? 0 : (uint32_t)generations[slot] << SLOT_BITS | slot;
}

static void release(uint32_t object) {
  uint32_t slot = object & (SLOTS - 1);
  if (slot == 0 || ((uint32_t)generations[slot] << SLOT_BITS | slot) != object) return;
  generations[slot] = (uint16_t)((generations[slot] + 1) & 0xFFF);
  free_slots[free_count++] = slot;
}

uint32_t rlp_object_make(void) {
  rlp_lock();
  uint32_t object = make();
  rlp_unlock();
  return object;
}

void rlp_object_release(uint32_t object) {
  rlp_lock();
  release(object);
  rlp_unlock();
}

static uint32_t index_of(uint64_t key) { return (uint32_t)(key * 0x9E3779B97F4A7C15u >> (64 - 18)); }

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

// The entry stands for a new object. The key is stored last.
static void renew(rlp_entry *entry, uint64_t key) {
  if (entry->key == key) release(entry->object);
  entry->object = make();
  entry->session = rlp_session_;
  entry->is_dead = 0;
  entry->is_named = 0;
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
    entry->session = rlp_session_;
    __atomic_store_n(&entry->key, key, __ATOMIC_RELEASE);
  }
  rlp_unlock();
}
