// A program with a static Swift runtime, whose functions cannot be interposed.
//
// The runtime asks dlsym for dispatch_async_swift_job, a function that only Apple's Dispatch has. It gets one of this
// library, and queues its jobs with it.
#ifndef RLP_STATIC_RUNTIME_H
#define RLP_STATIC_RUNTIME_H

#include "preload.h"

// Returns the function that queues jobs; NULL = the runtime is to use its own.
void *rlp_job_queuing_function(void);

#endif
