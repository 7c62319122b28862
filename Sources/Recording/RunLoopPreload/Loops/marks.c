// The interface for programs that say something about themselves, with the embedded recorder or without it. Only this
// library then records the program.
#include "include/rltrace_preload.h"
#include "names.h"
#include "objects.h"
#include "recording.h"

RLP_EXPORT int rltrace_preload_is_recording(void) { return rlp_is_recording(); }

RLP_EXPORT uint32_t rltrace_preload_string(const char *utf8) { return rlp_is_recording() ? rlp_string(utf8) : 0; }

RLP_EXPORT uint32_t rltrace_preload_object(void) { return rlp_is_recording() ? rlp_object_make() : 0; }

RLP_EXPORT void rltrace_preload_release(uint32_t object) {
  if (rlp_is_recording()) rlp_object_release(object);
}

RLP_EXPORT void rltrace_preload_emit(uint8_t kind, uint32_t object, const uint64_t *arguments, uint8_t count) {
  if (rlp_is_recording()) rlt_emit_arguments(kind, rlt_thread.mode, object, arguments, count);
}

RLP_EXPORT void rltrace_state(const char *name, const char *value) {
  if (!rlp_is_recording()) return;
  uint64_t arguments[] = {rlp_string(name), rlp_string(value)};
  rlt_emit_arguments(RLT_KIND_STATE, rlt_thread.mode, 0, arguments, 2);
}
