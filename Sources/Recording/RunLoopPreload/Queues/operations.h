// Foundation's Operation: the code that runs in one.
#ifndef RLP_OPERATIONS_H
#define RLP_OPERATIONS_H

#include "preload.h"

// If `object` is an operation, stores the closure that it runs: function and context. Returns 0 if it is not one, or
// its closure cannot be found.
int rlp_operation_closure(uintptr_t object, uintptr_t *closure);

#endif
