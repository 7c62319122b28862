// Objects by address.
#ifndef RLP_OBJECTS_H
#define RLP_OBJECTS_H

#include "session.h"

// The object at an address. Entries are overwritten when an address is used again, and never removed.
typedef struct {
  uint64_t key;
  uint32_t object;
  uint32_t session;   // the recording that knows the object
  uint8_t is_dead;    // it was invalidated, which is recorded once; for a loop, its thread ended
  uint8_t is_reused;  // for a dead loop: another loop has its address
  uint8_t is_named;   // for a loop: its own thread named it
} rlp_entry;

// Prepares the table, before a recording begins.
void rlp_prepare_objects(void);

// Returns a new id; 0 = no id is left, or nothing was ever recorded here.
static inline uint32_t rlp_object_make(void) { return rlp_ids == NULL ? 0 : rlt_object_make(rlp_ids); }
static inline void rlp_object_release(uint32_t object) {
  if (object != 0 && rlp_ids != NULL) rlt_object_release(rlp_ids, object);
}
// Returns whether this recording knows an object that was made in `session`. A child of fork has objects of its
// parent.
static inline int rlp_knows(uint32_t object, uint32_t session) {
  return object != 0 && session == rlp_session() && rlp_is_recording_already();
}
// Records that queued work with this object will never run, or ran while nothing was recorded. Gives the
// object back. `kind`: of the event.
static inline void rlp_discard_as(uint8_t kind, uint32_t object, uint32_t session) {
  if (!rlp_knows(object, session)) return;
  rlt_emit(kind, object);
  rlp_object_release(object);
}
static inline void rlp_discard(uint32_t object, uint32_t session) {
  rlp_discard_as(RLT_KIND_BLOCK_DISCARD, object, session);
}

// Returns the entry of a key, or NULL if there is none.
rlp_entry *rlp_find(uint64_t key);
// Returns the entry of a key for a new object with a new id; NULL = the table is full.
rlp_entry *rlp_place(uint64_t key);
// Returns the entry of a key if its object is live, otherwise a new one, as `rlp_place` does. `is_new` reports which.
rlp_entry *rlp_find_or_place(uint64_t key, int *is_new);
// Makes a key refer to an object that has an entry of its own.
void rlp_place_alias(uint64_t key, uint32_t object);

// Returns the object of a live timer, source or observer that this recording knows; 0 for others.
uint32_t rlp_known_object(const void *item);
// Emits the event that a timer, source or observer is invalidated, once for each object. With the kind 0, it emits no
// event.
void rlp_note_invalidated(const void *item, uint8_t kind);

static inline uint64_t rlp_key(const void *address) { return (uint64_t)(uintptr_t)address; }
// Returns a key that is not an address: addresses are even, this is odd.
static inline uint64_t rlp_pair_key(uint64_t kind, const void *info) {
  return (((uint64_t)(uintptr_t)info * 0x9E3779B97F4A7C15u) ^ (kind * 0xC2B2AE3D27D4EB4Fu)) | 1;
}

#endif
