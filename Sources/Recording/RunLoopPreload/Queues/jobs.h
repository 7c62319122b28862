// Jobs of Swift's concurrency, which the main actor runs.
#ifndef RLP_JOBS_H
#define RLP_JOBS_H

#include "chains.h"

// Returns whether a function that is queued with a context runs a job of Swift's concurrency, with the job as the
// context.
int rlp_runs_job(uintptr_t function);
// Adds the function at which the job continues, or the functions that wait for it.
void rlp_chain_add_job(rlp_chain *chain, const void *job);

#endif
