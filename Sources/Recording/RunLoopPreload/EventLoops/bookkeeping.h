// Signal handlers may make the calls that this library interposes, while their thread changes its records.
#ifndef RLP_BOOKKEEPING_H
#define RLP_BOOKKEEPING_H

#include "preload.h"

// The frame of the function that changes the thread's records; 0 = none does.
extern RLT_TLS volatile uintptr_t rlp_frame_inside;
// When a handler that interrupted this change was refused first; 0 = none was.
extern RLT_TLS volatile uint64_t rlp_refused_ns;

// The slow path of `rlp_enter`: a function is inside already.
int rlp_enter_again(uintptr_t frame);

// Begins to change the thread's records. Returns 0 in a signal handler that interrupted such a change: nothing that the
// handler does is recorded.
static inline int rlp_enter(void) {
  uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
  if (__builtin_expect(rlp_frame_inside != 0, 0)) return rlp_enter_again(frame);
  rlp_frame_inside = frame;
  __asm__ volatile("" : : : "memory");
  return 1;
}
static inline void rlp_leave(void) {
  __asm__ volatile("" : : : "memory");
  rlp_frame_inside = 0;
  rlp_refused_ns = 0;
}

#endif
