// The code of a callout, and the place where its object was made.
#ifndef RLP_CODE_H
#define RLP_CODE_H

#include "chains.h"

// The caller of an interposed function: that function's frame, and its return address. All zero = not known.
typedef struct {
  void *const *frame;
  uintptr_t return_address;
} rlp_caller;
#define RLP_CALLER() \
  ((rlp_caller){__builtin_frame_address(0), (uintptr_t)__builtin_return_address(0)})

// These functions return names as string ids. A Swift closure is hidden behind one or two thunks that all closures
// share. So the whole chain is recorded, the program's own code first, and a reader of the log takes the first
// address that is not a thunk. If nothing in the chain is the program's own, the place that made it is recorded as
// well, with its kind (`work`, RLT_WORK_*).
uint32_t rlp_callout_name(int work, uintptr_t callout, const void *info, rlp_caller caller);
uint32_t rlp_chain_name(const rlp_chain *chain, int work, rlp_caller caller);
uint32_t rlp_block_name(int work, const void *block, rlp_caller caller);
// For a function that is queued with a context. A job of Swift's concurrency gets the name of its task's function.
uint32_t rlp_function_name(uintptr_t function, const void *context, rlp_caller caller);

// Returns the place where an object is made, as a string id.
uint32_t rlp_site(rlp_caller caller);

// Records the place where the calling thread runs its loop in a mode.
void rlp_note_runner(uint8_t mode, rlp_caller caller);

// Records the place where a callout of the calling thread runs the loop, once for each place.
void rlp_note_nested_run(uint8_t mode, rlp_caller caller);

// Counts runs outside callouts that returned at once. Records the places of programs that make many of them.
void rlp_note_poll(uint8_t mode, rlp_caller caller);

#endif
