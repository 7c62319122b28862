// Names and places of work. Each is found once, and kept by the addresses of the code.
#ifndef RLP_WORK_NAMES_H
#define RLP_WORK_NAMES_H

#include "code.h"

// Return a name as a string id. Called inside `rlp_enter`, as is the last one.
uint32_t rlp_work_name_of_function(uintptr_t function);
// `kind` receives RLT_WORK_OF_BLOCK, or _OPERATION if the block runs an operation of an OperationQueue.
uint32_t rlp_work_name_of_block(const void *block, uint64_t *kind);
// `closure`: a function and its context.
uint32_t rlp_work_name_of_task(const uintptr_t *closure);
// Returns the innermost place in the program's own code, as a string id; 0 = none was found.
uint32_t rlp_work_place(rlp_caller caller);

#endif
