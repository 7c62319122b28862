// The interface for a program that embeds the recorder and runs preloaded. Only this library then records the program.
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
