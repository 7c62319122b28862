#define _GNU_SOURCE
#include "rltrace_ids.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "rltrace_spool_space.h"

enum { SLOT_BITS = 20, SLOTS = 1 << SLOT_BITS, SLOT_MASK = SLOTS - 1 };
enum { FIRST_STRINGS = 1 << 12, OVERFLOW_MODE = 255 };

// A known string, identified by a hash of its type and bytes. Two strings with equal hashes share an id; the
// probability is 2^-64 per pair.
typedef struct {
  uint64_t hash;  // 0 = none
  uint32_t id;
} known_string;

struct rlt_ids {
  pthread_mutex_t lock;
  rlt_spool *spool;

  // For a live object: its id. For a free slot: the generation of its next object, and the next free slot.
  uint32_t *slots;
  uint32_t slot_count;  // slots ever used, including slot 0, which no object has
  uint32_t free_slot;   // the slot that was freed last, 0 = none

  known_string *strings;
  uint32_t string_places;  // a power of two
  uint32_t string_count;

  char *modes[OVERFLOW_MODE + 1];
  uint32_t mode_count;
};

static void *reserve(size_t bytes) { return rlt_map(NULL, bytes, MAP_PRIVATE | MAP_ANONYMOUS, -1); }

static void lock_ids(rlt_ids *ids) { pthread_mutex_lock(&ids->lock); }
static void unlock_ids(rlt_ids *ids) { pthread_mutex_unlock(&ids->lock); }
void rlt_ids_renew_lock(rlt_ids *ids) { pthread_mutex_init(&ids->lock, NULL); }

rlt_ids *rlt_ids_make(void) {
  rlt_ids *ids = calloc(1, sizeof *ids);
  if (ids == NULL) return NULL;
  rlt_ids_renew_lock(ids);
  ids->slots = reserve(SLOTS * sizeof *ids->slots);
  ids->slot_count = ids->slots == NULL ? SLOTS : 1;
  return ids;
}

static void forget_strings(rlt_ids *ids) {
  if (ids->strings != NULL) munmap(ids->strings, ids->string_places * sizeof *ids->strings);
  ids->strings = NULL;
  ids->string_places = ids->string_count = 0;
}

void rlt_ids_free(rlt_ids *ids) {
  forget_strings(ids);
  if (ids->slots != NULL) munmap(ids->slots, SLOTS * sizeof *ids->slots);
  for (uint32_t id = 1; id <= ids->mode_count; id++) free(ids->modes[id]);
  pthread_mutex_destroy(&ids->lock);
  free(ids);
}

static void append_mode(const rlt_ids *ids, uint32_t id) {
  rlt_spool_append(ids->spool, RLT_NAME_MODE, 0, id, ids->modes[id], strlen(ids->modes[id]), NULL, 0);
}

void rlt_ids_begin(rlt_ids *ids, rlt_spool *spool) {
  lock_ids(ids);
  ids->spool = spool;
  forget_strings(ids);
  for (uint32_t id = 1; id <= ids->mode_count; id++) append_mode(ids, id);
  unlock_ids(ids);
}

static uint32_t take_slot(rlt_ids *ids) {
  uint32_t slot = ids->free_slot;
  if (slot != 0) ids->free_slot = ids->slots[slot] & SLOT_MASK;
  else if (ids->slot_count < SLOTS) slot = ids->slot_count++;
  return slot;
}

size_t rlt_objects_make(rlt_ids *ids, uint32_t *objects, size_t count) {
  size_t made = 0;
  lock_ids(ids);
  for (uint32_t slot; made < count && (slot = take_slot(ids)) != 0; made++) {
    objects[made] = (ids->slots[slot] & ~(uint32_t)SLOT_MASK) | slot;
    ids->slots[slot] = objects[made];
  }
  unlock_ids(ids);
  return made;
}

// Called with the ids locked, or by a thread that owns the object.
static int is_live(const rlt_ids *ids, uint32_t object) {
  uint32_t slot = object & SLOT_MASK;
  // A slot that was never used holds 0.
  return slot != 0 && ids->slots != NULL && ids->slots[slot] == object;
}

void rlt_objects_release(rlt_ids *ids, const uint32_t *objects, size_t count) {
  lock_ids(ids);
  for (size_t i = 0; i < count; i++) {
    uint32_t slot = objects[i] & SLOT_MASK;
    if (!is_live(ids, objects[i])) continue;
    ids->slots[slot] = ((objects[i] + SLOTS) & ~(uint32_t)SLOT_MASK) | ids->free_slot;
    ids->free_slot = slot;
  }
  unlock_ids(ids);
}

uint32_t rlt_object_renew(rlt_ids *ids, uint32_t object) {
  if (!is_live(ids, object)) return 0;
  // The generation is in the upper bits.
  return ids->slots[object & SLOT_MASK] = object + SLOTS;
}

uint32_t rlt_object_make(rlt_ids *ids) {
  uint32_t object = 0;
  return rlt_objects_make(ids, &object, 1) == 0 ? 0 : object;
}

void rlt_object_release(rlt_ids *ids, uint32_t object) { rlt_objects_release(ids, &object, 1); }

static uint64_t hash_of(uint16_t type, const void *bytes, size_t count) {
  uint64_t hash = 0xcbf29ce484222325u ^ type;  // FNV-1a, with the upper half folded in at the end
  const unsigned char *at = bytes;
  for (size_t i = 0; i < count; i++) hash = (hash ^ at[i]) * 0x100000001b3u;
  hash ^= hash >> 32;
  return hash == 0 ? 1 : hash;
}

// Returns the place of a string in the table, or the free place where it belongs.
static known_string *find_string(known_string *strings, uint32_t places, uint64_t hash) {
  uint32_t at = (uint32_t)hash & (places - 1);
  while (strings[at].hash != 0 && strings[at].hash != hash) at = (at + 1) & (places - 1);
  return &strings[at];
}

// Keeps a quarter of the table free. Returns 0 if there is no memory: then a new string is written each time it is
// used.
static int make_room(rlt_ids *ids) {
  if (ids->string_count < ids->string_places / 4 * 3) return 1;
  uint32_t places = ids->string_places == 0 ? FIRST_STRINGS : ids->string_places * 2;
  known_string *grown = reserve(places * sizeof *grown);
  if (grown == NULL) return 0;
  for (uint32_t i = 0; i < ids->string_places; i++)
    if (ids->strings[i].hash != 0) *find_string(grown, places, ids->strings[i].hash) = ids->strings[i];
  if (ids->strings != NULL) munmap(ids->strings, ids->string_places * sizeof *grown);
  ids->strings = grown;
  ids->string_places = places;
  return 1;
}

uint32_t rlt_string_id(rlt_ids *ids, uint16_t type, const void *bytes, size_t count) {
  uint64_t hash = hash_of(type, bytes, count);
  lock_ids(ids);
  int is_kept = make_room(ids);
  known_string none = {0, 0};
  known_string *known =
      ids->strings == NULL ? &none : find_string(ids->strings, ids->string_places, hash);
  uint32_t id = known->id;
  if (known->hash == 0) {
    id = rlt_spool_append_string(ids->spool, type, bytes, count);
    if (is_kept) {
      *known = (known_string){hash, id};
      ids->string_count += 1;
    }
  }
  unlock_ids(ids);
  return id;
}

uint8_t rlt_mode_id(rlt_ids *ids, const char *name) {
  lock_ids(ids);
  uint32_t id = 1;
  while (id <= ids->mode_count && id < OVERFLOW_MODE && strcmp(ids->modes[id], name) != 0) id++;
  if (id > ids->mode_count) {
    ids->modes[id] = strdup(id == OVERFLOW_MODE ? "(other modes)" : name);
    // Without memory, the mode gets the id 0, which means no mode.
    if (ids->modes[id] == NULL) id = 0;
    else append_mode(ids, ids->mode_count = id);
  }
  unlock_ids(ids);
  return (uint8_t)id;
}
