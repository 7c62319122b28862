// Jobs of Swift's concurrency, which the main actor runs.
#ifndef RLP_JOBS_H
#define RLP_JOBS_H

#include "chains.h"

// The number of the runtime's layout that is known here: _swift_concurrency_debug_internal_layout_version.
enum { RLP_TASK_LAYOUT = 1 };

// Returns whether a function that is queued with a context runs a job of Swift's concurrency, with the job as the
// context.
int rlp_runs_job(uintptr_t function);
// Lets the functions below know jobs of a runtime that is part of the program. Returns 0 if its layout is not known,
// or its symbols are missing.
int rlp_take_jobs_of_program(void);
// Returns whether a job is a task of a runtime whose layout is known.
int rlp_is_task(const void *job);
// Returns a number that tells tasks apart that had the same address one after the other.
uint32_t rlp_task_number(const void *task);
// Returns the closure of a task that has not begun; NULL = it has begun, or is not understood.
const uintptr_t *rlp_closure_of_new_task(const void *task);
// Adds the function at which the job continues, or the functions that wait for it.
void rlp_chain_add_job(rlp_chain *chain, const void *job);

#endif
