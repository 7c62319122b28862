#include "sockets.h"

#include "memory.h"
#include "session.h"
#include "symbols.h"

enum { SOCKET_WORDS_MAX = 64 };

// The position of a socket's callout, in words; 0 = not known yet.
static uint32_t callout_word;
static RLT_TLS const void *socket_of_source;

// Learns the position from a new socket, which holds its callout exactly once.
static void look_for(void *callout, const void *socket) {
  if (callout == NULL || socket == NULL || rlp_recording_state == RLP_UNWANTED
      || __atomic_load_n(&callout_word, __ATOMIC_RELAXED) != 0)
    return;
  uintptr_t words[SOCKET_WORDS_MAX];
  uint32_t count = SOCKET_WORDS_MAX, found = 0;
  while (!rlp_read(socket, words, count * sizeof *words))
    if ((count /= 2) < 8) return;
  for (uint32_t i = 2; i < count; i++) {
    if (words[i] != (uintptr_t)callout) continue;
    if (found != 0) return;
    found = i;
  }
  __atomic_store_n(&callout_word, found, __ATOMIC_RELAXED);
}

uintptr_t rlp_socket_callout(const void *info) {
  uint32_t word = __atomic_load_n(&callout_word, __ATOMIC_RELAXED);
  return info != NULL && info == socket_of_source && word != 0 ? ((const uintptr_t *)info)[word] : 0;
}

// Other functions that make sockets call these two.
RLP_EXPORT void *CFSocketCreate(void *allocator, int32_t family, int32_t type, int32_t protocol, unsigned long callouts,
                                void *callout, const rlp_context *context) {
  RLP_FIND_REAL(CFSocketCreate, NULL);
  void *socket = real(allocator, family, type, protocol, callouts, callout, context);
  look_for(callout, socket);
  return socket;
}

RLP_EXPORT void *CFSocketCreateWithNative(void *allocator, int native, unsigned long callouts, void *callout,
                                          const rlp_context *context) {
  RLP_FIND_REAL(CFSocketCreateWithNative, NULL);
  void *socket = real(allocator, native, callouts, callout, context);
  look_for(callout, socket);
  return socket;
}

RLP_EXPORT void *CFSocketCreateRunLoopSource(void *allocator, void *socket, rlp_index order) {
  RLP_FIND_REAL(CFSocketCreateRunLoopSource, NULL);
  const void *outer = socket_of_source;
  socket_of_source = socket;
  void *source = real(allocator, socket, order);
  socket_of_source = outer;
  return source;
}
