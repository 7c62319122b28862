#include "services.h"

#include "bookkeeping.h"
#include "names.h"
#include "objects.h"
#include "stack.h"

// The kind of keys for sources by service and loop, see rlp_pair_key.
enum { KEY_OF_SERVICE = 0x5E41 };

uint32_t rlp_make_source(int descriptor, rlp_descriptor *entry, const rlp_event_loop *own) {
  if (!rlp_has_room_on_stack()) return 0;
  int kept_errno = errno, is_new = 1;
  char name[160];
  rlp_describe(descriptor, entry, name, sizeof name);
  uint32_t string = rlp_string(name);
  if (rlp_is_wakeup(entry)) {
    entry->object = rlp_object_make();
  } else {
    const void *words = (const void *)(uintptr_t)((uint64_t)string << 32 | own->loop);
    const rlp_entry *known = rlp_find_or_place(rlp_pair_key(KEY_OF_SERVICE, words), &is_new);
    entry->object = known == NULL ? 0 : known->object;
  }
  entry->session = rlp_session();
  entry->loop = own->loop;
  if (is_new && entry->object != 0) {
    RLP_EMIT(RLT_KIND_SOURCE_CREATE, own->mode, entry->object, string, rlp_is_wakeup(entry) ? 0 : 1, 0, 0);
    RLP_EMIT(RLT_KIND_SOURCE_ADD, own->mode, entry->object, own->mode, own->loop);
  }
  errno = kept_errno;
  return entry->object;
}

void rlp_end_service(rlp_event_loop *own) {
  if (own->descriptor < 0) return;
  own->descriptor = -1;
  rlt_emit_in_mode(RLT_KIND_SOURCE1_BEGIN + 1, own->mode, own->source);
}

// Returns the descriptor's entry if the loop serves it. Other descriptors belong to the callout that uses them: files,
// blocking clients.
static rlp_descriptor *served_by(const rlp_event_loop *own, int descriptor) {
  rlp_descriptor *entry = rlp_descriptor_of(descriptor);
  if (entry == NULL || entry->kind == RLP_UNKNOWN_DESCRIPTOR || entry->set != rlp_set_number(own->set)) return NULL;
  return entry->kind == RLP_TIMER || rlp_is_wakeup(entry) ? NULL : entry;
}

void rlp_begin_service(int descriptor) {
  rlp_event_loop *own = &rlp_own_loop;
  // The usual case: a wake-up, or a descriptor that the loop does not wait for.
  rlp_descriptor *entry = served_by(own, descriptor);
  if (entry == NULL || !rlp_has_event_loop() || !rlp_is_recording_already() || !rlp_brackets_callouts()) return;
  if (!rlp_enter()) return;
  uint32_t source = rlp_source_of(descriptor, entry, own);
  if (source != 0) {
    rlp_end_service(own);
    own->source = source;
    own->descriptor = descriptor;
    rlt_emit_in_mode(RLT_KIND_SOURCE1_BEGIN, own->mode, source);
  }
  rlp_leave();
}
