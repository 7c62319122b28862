// Objects by address.
#ifndef RLP_OBJECTS_H
#define RLP_OBJECTS_H

#include "recording.h"

// What an address stands for. Entries are overwritten when an address is used again, never removed.
typedef struct {
  uint64_t key;
  uint32_t object;
  uint32_t session;   // recording that knows the object
  uint8_t is_dead;    // it was invalidated, which is recorded once; for a loop, its thread ended
  uint8_t is_reused;  // for a dead loop: another loop has its address
  uint8_t is_named;   // of a loop: by its own thread
} rlp_entry;

void rlp_objects_begin(uint32_t session);
// The recording that knew the objects belongs to another process.
void rlp_objects_end(void);
extern uint32_t rlp_session_;
static inline uint32_t rlp_session(void) { return rlp_session_; }

// A fresh id; 0 = no id is left, or nothing was ever recorded here.
static inline uint32_t rlp_object_make(void) { return rlp_ids == NULL ? 0 : rlt_object_make(rlp_ids); }
static inline void rlp_object_release(uint32_t object) {
  if (object != 0 && rlp_ids != NULL) rlt_object_release(rlp_ids, object);
}
// Whether this recording knows an object that was made in `session`. A child of fork has objects of its parent.
static inline int rlp_knows(uint32_t object, uint32_t session) {
  return object != 0 && session == rlp_session() && rlp_is_recording_already();
}
// Queued work with this object will not run any more, or ran where nothing is recorded. Records that, and gives the
// object back.
static inline void rlp_discard(uint32_t object, uint32_t session) {
  if (!rlp_knows(object, session)) return;
  rlt_emit(RLT_KIND_BLOCK_DISCARD, object);
  rlp_object_release(object);
}

// The entry of a key, NULL when there is none.
rlp_entry *rlp_find(uint64_t key);
// The entry of a key for a new object with a fresh id; NULL when the table is full.
rlp_entry *rlp_place(uint64_t key);
// The entry of a key: the one that lives, else a new one as by `rlp_place`. `is_new` says which.
rlp_entry *rlp_find_or_place(uint64_t key, int *is_new);
// Makes a key stand for an object that has an entry of its own.
void rlp_place_alias(uint64_t key, uint32_t object);

// The object of a timer, source or observer that lives and that this recording knows; 0 for others.
uint32_t rlp_known_object(const void *item);
// A timer, source or observer is invalidated: emits the event the first time. No event has the kind 0.
void rlp_note_invalidated(const void *item, uint8_t kind);

static inline uint64_t rlp_key(const void *address) { return (uint64_t)(uintptr_t)address; }
// Keys that are no addresses: those are even.
static inline uint64_t rlp_pair_key(uint64_t kind, const void *info) {
  return (((uint64_t)(uintptr_t)info * 0x9E3779B97F4A7C15u) ^ (kind * 0xC2B2AE3D27D4EB4Fu)) | 1;
}

#endif
