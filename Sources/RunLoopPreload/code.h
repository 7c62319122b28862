// Which code a callout is, and where its object was made.
#ifndef RLP_CODE_H
#define RLP_CODE_H

#include "preload.h"

// The caller of an interposed function: that function's frame, and where it returns to. All zero: nobody knows.
typedef struct {
  void *const *frame;
  uintptr_t return_address;
} rlp_caller;
#define RLP_CALLER() \
  ((rlp_caller){__builtin_frame_address(0), (uintptr_t)__builtin_return_address(0)})

// Names as string ids. A Swift closure stands behind one or two thunks that all closures share: their chain is
// recorded, the program's own code first, and whoever reads the log takes the first that is no thunk. Where nothing in
// the chain is the program's own, who made it is recorded, too, beside what it is (`work`, RLT_WORK_*).
uint32_t rlp_callout_name(int work, uintptr_t callout, const void *info, rlp_caller caller);
uint32_t rlp_block_name(int work, const void *block, rlp_caller caller);
// A function that is queued with a context. Jobs of Swift's concurrency bear the name of their task's function.
uint32_t rlp_function_name(uintptr_t function, const void *context, rlp_caller caller);

// Where an object is made, as a string id.
uint32_t rlp_site(rlp_caller caller);

// Reads memory that may not be there: the kernel looks instead of us.
int rlp_read(const void *address, void *bytes, size_t count);

#endif
