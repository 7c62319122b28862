// A program with a static Swift runtime, whose functions cannot be interposed.
//
// The runtime asks dlsym for dispatch_async_swift_job, a function that only Apple's Dispatch has. It gets one of this
// library, and queues its jobs with it. The program's own functions are found in its symbol table, unless it was
// stripped.
#ifndef RLP_STATIC_RUNTIME_H
#define RLP_STATIC_RUNTIME_H

#include "symbols.h"

// Returns the address of a symbol of the program itself; NULL = it has none, or is not a program with a static
// Dispatch.
void *rlp_symbol_of_program(const char *name);

// Returns the function that queues jobs; NULL = the runtime is to use its own.
void *rlp_job_queuing_function(void);

// The program's own `name`, also if it is linked statically.
#define RLP_STATIC_OR_REAL(type, name) \
  ({ \
    void *of_library_ = RLP_REAL(void *, name); \
    (type)(of_library_ != NULL ? of_library_ : rlp_symbol_of_program(#name)); \
  })

#endif
