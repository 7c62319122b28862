#include "bookkeeping.h"

#include "interposing.h"
#include "rltrace_sample.h"

RLT_TLS volatile uintptr_t rlp_frame_inside;
RLT_TLS volatile uint64_t rlp_refused_ns;

// A handler that takes longer than this has left the code that it interrupted.
static const uint64_t longest_handler_ns = 1000000000;

// The stack that the thread reserved for signal handlers.
static RLT_TLS stack_t signal_stack = {.ss_flags = SS_DISABLE};

static int is_on_signal_stack(uintptr_t frame) {
  return (signal_stack.ss_flags & SS_DISABLE) == 0 && frame - (uintptr_t)signal_stack.ss_sp < signal_stack.ss_size;
}

// Returns whether a handler jumped out of the change, so that it never ends. On the same stack, the frame of a handler
// lies below the frame that it interrupted.
static int has_been_left(uintptr_t frame) {
  uintptr_t inside = rlp_frame_inside;
  if (frame >= inside && is_on_signal_stack(frame) == is_on_signal_stack(inside)) return 1;
  uint64_t now = rlt_coarse_ns();
  if (rlp_refused_ns == 0) rlp_refused_ns = now;
  return now - rlp_refused_ns > longest_handler_ns;
}

int rlp_enter_again(uintptr_t frame) {
  if (!has_been_left(frame)) return 0;
  rlt_note_loss();
  rlp_leave();
  rlp_frame_inside = frame;
  return 1;
}

// Twice what the recorder's signal handler needs, besides the registers that the kernel stores.
enum { HANDLER_BYTES = 1024 };

REAL(sigaltstack)

RLP_EXPORT int sigaltstack(const stack_t *stack, stack_t *earlier) {
  FIND_REAL(sigaltstack, rlp_missing());
  int result = real(stack, earlier);
  if (result != 0 || stack == NULL) return result;
  // Both may be the same memory, so the kernel is asked.
  (void)real(NULL, &signal_stack);
  if ((signal_stack.ss_flags & SS_DISABLE) == 0 && signal_stack.ss_size < getauxval(AT_MINSIGSTKSZ) + HANDLER_BYTES)
    __atomic_store_n(&rlt_has_small_signal_stack, 1, __ATOMIC_RELAXED);
  return result;
}
