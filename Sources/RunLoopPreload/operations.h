// Foundation's Operation: whose code runs in one.
#ifndef RLP_OPERATIONS_H
#define RLP_OPERATIONS_H

#include "preload.h"

// If `object` is an operation: the closure that it runs, function and context. 0 when it is none, or not to be known.
int rlp_operation_closure(uintptr_t object, uintptr_t *closure);

#endif
