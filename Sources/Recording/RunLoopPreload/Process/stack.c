#include "stack.h"

// Several times what was ever used.
enum { ROOM_BYTES = 32 << 10 };

rlp_stack rlp_own_stack(void) {
  static RLT_TLS rlp_stack own;
  if (own.end != 0) return own;
  pthread_attr_t attributes;
  void *start;
  size_t bytes;
  int cancel_state;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
  if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    if (pthread_attr_getstack(&attributes, &start, &bytes) == 0)
      own = (rlp_stack){(uintptr_t)start, (uintptr_t)start + bytes};
    pthread_attr_destroy(&attributes);
  }
  pthread_setcancelstate(cancel_state, NULL);
  return own;
}

int rlp_has_room_on_stack(void) {
  uintptr_t here = (uintptr_t)__builtin_frame_address(0);
  rlp_stack own = rlp_own_stack();
  return own.end == 0 || (here > own.begin + ROOM_BYTES && here < own.end);
}
