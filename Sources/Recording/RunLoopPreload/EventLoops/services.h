// The work of a loop for its descriptors. A callout lasts from the first call for a descriptor of the loop until the
// first call for another one, or until the loop waits.
#ifndef RLP_SERVICES_H
#define RLP_SERVICES_H

#include "descriptors.h"
#include "loop_state.h"

// The slow path of `rlp_source_of`.
uint32_t rlp_make_source(int descriptor, rlp_descriptor *entry, const rlp_event_loop *own);
// Returns the source of a descriptor in the calling thread's loop; 0 = no id is left, or the source is new and has to
// be described, but the stack has no room for that.
static inline uint32_t rlp_source_of(int descriptor, rlp_descriptor *entry, const rlp_event_loop *own) {
  int is_known = entry->object != 0 && entry->session == rlp_session() && entry->loop == own->loop;
  return __builtin_expect(is_known, 1) ? entry->object : rlp_make_source(descriptor, entry, own);
}

// The calling thread's loop serves a descriptor.
void rlp_begin_service(int descriptor);
// Ends the open callout of the loop, if there is one.
void rlp_end_service(rlp_event_loop *own);

// The calling thread reads from a descriptor, or writes to it. A write belongs to the callout that causes it. The usual
// case: the thread has no loop, or serves the same descriptor.
static inline void rlp_note_read(int descriptor) {
  const rlp_event_loop *own = &rlp_own_loop;
  if (__builtin_expect(own->loop == 0 || own->is_waiting || own->descriptor == descriptor, 1)) return;
  rlp_begin_service(descriptor);
}
static inline void rlp_note_written(int descriptor) {
  if (rlp_own_loop.descriptor < 0) rlp_note_read(descriptor);
}

#endif
