#include "static_runtime.h"

#include "jobs.h"
#include "names.h"
#include "program_symbols.h"
#include "work.h"

// A job's class: a kind, a word of Objective-C, Dispatch's kind, and the function that runs the job.
static void run_job(void *job) {
  enum { RUN = 3 };
  void (*const *class)(void *, void *, int) = *(void (*const *const *)(void *, void *, int))job;
  class[RUN](job, NULL, 0);
}

static int names_jobs;

// Returns the closure of a job that begins a task; NULL = the job continues one, or is not understood. The functions
// at which jobs continue may be the runtime's own, which would say nothing about the program.
static const uintptr_t *closure_of(const void *job) {
  return __atomic_load_n(&names_jobs, __ATOMIC_RELAXED) && rlp_is_task(job) ? rlp_closure_of_new_task(job) : NULL;
}

// As Apple's dispatch_async_swift_job.
static void queue_job(void *queue, void *job, unsigned qos) {
  (void)qos;
  static void *found;
  if (__builtin_expect(found == NULL, 0)) found = rlp_symbol_of_program("dispatch_async_f");
  void (*real)(void *, void *, rlp_perform) = (void (*)(void *, void *, rlp_perform))found;
  void *work = rlp_records_work() ? rlp_wrap_job_function(queue, job, run_job, closure_of(job), 0) : NULL;
  real(queue, work != NULL ? work : job, work != NULL ? rlp_run_work : run_job);
}

// The linker may have left the number out, because no code uses it.
static int may_know_layout(void) {
  const uint32_t *layout = rlp_symbol_of_program("_swift_concurrency_debug_internal_layout_version");
  return layout == NULL || *layout == RLP_TASK_LAYOUT;
}

void *rlp_job_queuing_function(void) {
  static void *shared;
  // A shared runtime uses a shared Dispatch.
  if (rlp_real("dispatch_async_f", &shared) != NULL || rlp_symbol_of_program("dispatch_async_f") == NULL) return NULL;
  if (!may_know_layout()) return NULL;
  __atomic_store_n(&names_jobs, rlp_take_jobs_of_program(), __ATOMIC_RELAXED);
  if (rlp_records_work()) rlp_info("tasks", "jobs");
  return (void *)queue_job;
}
