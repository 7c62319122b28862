// Work of Dispatch queues other than the main one, and of Swift's executors.
//
// A function or a block is queued as a wrapper, which stores the begin and the end of the work on the thread that runs
// it.
#ifndef RLP_WORK_H
#define RLP_WORK_H

#include "blocks.h"
#include "main_queue.h"
#include "settings.h"

// The slow path of `rlp_records_work`: begins the recording, if that is possible.
int rlp_begin_recording_of_work(void);

// Returns whether work of all queues is recorded. The recording begins with the first work that is queued.
static inline int rlp_records_work(void) {
  if (__builtin_expect(!rlp_records_queues(), 1)) return 0;
  return (rlp_is_recording_already() || rlp_begin_recording_of_work()) && rlp_brackets_callouts();
}

// Returns whether work that is queued now is recorded as work of this queue, not of the main one.
static inline int rlp_records_work_of(const void *queue) {
  return queue != NULL && rlp_records_work() && !rlp_targets_main_queue(queue);
}

// The creation of work, which may be recorded later.
typedef struct {
  uint64_t stamp;  // 0 = now
  uint64_t kind;   // RLT_WORK_OF_*
  uint64_t due_ns; // 0 = it may run at once
  uint32_t object, name, queue, parent, site;
} rlp_new_work;
// Called inside `rlp_enter`.
void rlp_emit_work(const rlp_new_work *made);

// Has a thread without a loop watched for stalls. Returns whether it was not watched before.
int rlp_begin_watch(void);
void rlp_end_watch(void);

// Begins a slice of work on the calling thread.
typedef enum { RLP_NO_SLICE = 0, RLP_INNER_SLICE, RLP_OUTERMOST_SLICE } rlp_slice;
rlp_slice rlp_begin_slice(uint32_t work, uint32_t queue);
// Ends it. `why`: RLT_SLICE_*; RLT_SLICE_DONE releases the work's id.
void rlp_end_slice(rlp_slice slice, uint32_t work, uint64_t why);

// Runs a function as a slice of work, which then is over. `session`: the recording that knows the work.
void rlp_run_slice(uint32_t work, uint32_t session, uint32_t queue, rlp_perform function, void *context);

// Return what to queue in place of a function or a block, with `rlp_run_work`; NULL = queue it as it is. `due_ns` is as
// for rlp_queue_object, or RLP_LATER.
void *rlp_wrap_function(
    const void *queue, void *context, rlp_perform function, uint64_t due_ns, rlp_caller caller);
// The same for a job of Swift's concurrency. `closure`: that of a task that begins; NULL = not known.
void *rlp_wrap_job_function(
    const void *queue, void *job, rlp_perform function, const uintptr_t *closure, uint64_t due_ns);
// The block must be no work item, which is queued as it is.
void *rlp_wrap_block_of(const void *queue, void *block, uint64_t due_ns, rlp_caller caller);
void rlp_run_work(void *wrapper);
// Runs a block that is given as a context.
void rlp_invoke_block(void *block);

// Records that a work item was queued. Returns its object.
uint32_t rlp_create_work_of_item(rlp_block *wrapper, const void *queue, uint64_t due_ns, rlp_caller caller);

// Runs the handler of a dispatch source, as work of the queue that runs it. Returns 0, without running it, if it is not
// recorded.
int rlp_run_handler(rlp_block *handler);

// The functions that queue a function, for those that queue a block.
RLP_EXPORT void dispatch_async_f(void *queue, void *context, rlp_perform function);
RLP_EXPORT void dispatch_barrier_async_f(void *queue, void *context, rlp_perform function);
RLP_EXPORT void dispatch_group_async_f(void *group, void *queue, void *context, rlp_perform function);
RLP_EXPORT void dispatch_group_notify_f(void *group, void *queue, void *context, rlp_perform function);
RLP_EXPORT void dispatch_after_f(uint64_t when, void *queue, void *context, rlp_perform function);
RLP_EXPORT void dispatch_sync_f(void *queue, void *context, rlp_perform function);
RLP_EXPORT void dispatch_barrier_sync_f(void *queue, void *context, rlp_perform function);
RLP_EXPORT void dispatch_async_and_wait_f(void *queue, void *context, rlp_perform function);
RLP_EXPORT void dispatch_barrier_async_and_wait_f(void *queue, void *context, rlp_perform function);

#endif
