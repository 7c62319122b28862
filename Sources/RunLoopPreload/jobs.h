// Jobs of Swift's concurrency: what the main actor runs.
#ifndef RLP_JOBS_H
#define RLP_JOBS_H

#include "chains.h"

// Whether a function that is queued with a context runs a job of Swift's concurrency, which is that context.
int rlp_runs_job(uintptr_t function);
// Adds the function that the job goes on with, or those that wait for it.
void rlp_chain_add_job(rlp_chain *chain, const void *job);

#endif
