// Tasks of Swift's concurrency: their creation, and each of their slices, also in actors. For a shared runtime.
//
// The runtime tells the exclusivity checker when a task begins on a thread and when it leaves it, through functions of
// another library. A task that completes does not leave: its slice ends with its job, or when the next task begins.
#ifndef RLP_TASKS_H
#define RLP_TASKS_H

#include "work.h"

// Replaces a function that runs a job of Swift's concurrency, which is queued on a queue other than the main one, by
// what records it. Returns 0 if it is no such function. `due_ns` is as for rlp_wrap_function.
int rlp_wrap_job(const void *queue, void **context, rlp_perform *function, uint64_t due_ns);
// Notes that work is queued on the main queue. It may be the task that the calling thread creates.
void rlp_note_main_job(void);
// Ends the slice of a task in a job that the main queue ran.
void rlp_end_main_job(void);

#endif
