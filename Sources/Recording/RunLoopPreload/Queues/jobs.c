#include "jobs.h"

#include "images.h"
#include "memory.h"
#include "program_symbols.h"

// The layout of jobs and tasks is the ABI of Swift's concurrency (swift/ABI/Task.h). Debuggers rely on it, and on the
// symbols below, which identify the kinds.
typedef struct {
  const void *metadata;
  uintptr_t references, scheduler[2];
  uint32_t flags, id;
  uintptr_t voucher, reserved;
  uintptr_t resume;
  const uintptr_t *context;  // for tasks only: the caller's context, and where that continues
} swift_job;

enum { KIND_MASK = 0xFF, KIND_TASK = 0, WAITING_MAX = 16 };

int rlp_runs_job(uintptr_t function) {
  static uintptr_t known;
  if (function == __atomic_load_n(&known, __ATOMIC_RELAXED)) return 1;
  static void *run_;
  void *run;
  Dl_info of_function, of_run;
  if (rlp_kind_of(function) != RLP_SYSTEM_CODE || (run = rlp_real("swift_job_run", &run_)) == NULL
      || dladdr((void *)function, &of_function) == 0 || dladdr(run, &of_run) == 0
      || of_function.dli_fbase != of_run.dli_fbase)
    return 0;
  __atomic_store_n(&known, function, __ATOMIC_RELAXED);
  return 1;
}

// Returns the value of a constant of the runtime that holds an address.
static uintptr_t constant(const char *name, void **slot) {
  const uintptr_t *found = rlp_real(name, slot);
  return found == NULL ? 0 : *found;
}

// The addresses of some constants. In a program with a static runtime, they are taken from its symbols.
static void *task_slot, *plain_slot, *future_slot;

int rlp_take_jobs_of_program(void) {
  const uint32_t *layout = rlp_symbol_of_program("_swift_concurrency_debug_internal_layout_version");
  void *task = rlp_symbol_of_program("_swift_concurrency_debug_asyncTaskMetadata");
  void *plain = rlp_symbol_of_program("_swift_concurrency_debug_non_future_adapter");
  void *future = rlp_symbol_of_program("_swift_concurrency_debug_future_adapter");
  if (layout == NULL || *layout != RLP_TASK_LAYOUT || task == NULL || plain == NULL || future == NULL) return 0;
  __atomic_store_n(&task_slot, task, __ATOMIC_RELAXED);
  __atomic_store_n(&plain_slot, plain, __ATOMIC_RELAXED);
  __atomic_store_n(&future_slot, future, __ATOMIC_RELAXED);
  return 1;
}

int rlp_is_task(const void *memory) {
  const swift_job *job = memory;
  uintptr_t task = constant("_swift_concurrency_debug_asyncTaskMetadata", &task_slot);
  return task != 0 && (uintptr_t)job->metadata == task && (job->flags & KIND_MASK) == KIND_TASK;
}

uint32_t rlp_task_number(const void *task) { return ((const swift_job *)task)->id; }

const uintptr_t *rlp_closure_of_new_task(const void *task) {
  const swift_job *job = task;
  // The task is beginning. Its closure is stored before its context.
  return job->resume == constant("_swift_concurrency_debug_non_future_adapter", &plain_slot)
                 || job->resume == constant("_swift_concurrency_debug_future_adapter", &future_slot)
             ? job->context - 3
             : NULL;
}

void rlp_chain_add_job(rlp_chain *chain, const void *memory) {
  static void *throwing_, *waiting_;
  const swift_job *job = memory;
  if (!rlp_is_task(job)) return;
  const uintptr_t *closure = rlp_closure_of_new_task(job);
  if (closure != NULL) {
    rlp_chain_add_closure(chain, closure, 1);
    return;
  }
  uintptr_t resume = job->resume;
  const uintptr_t *context = job->context;
  if (resume != constant("_swift_concurrency_debug_task_wait_throwing_resume_adapter", &throwing_)
      && resume != constant("_swift_concurrency_debug_task_future_wait_resume_adapter", &waiting_))
    rlp_chain_add(chain, resume);
  // The code is the system's, so the functions that wait for it are added.
  for (int i = 0; i < WAITING_MAX && chain->program_count == 0; i++) {
    uintptr_t words[2];
    if (((uintptr_t)context & 7) != 0 || !rlp_read(context, words, sizeof words)) return;
    if (chain->count == RLP_CHAIN_MAX) chain->count -= 1;
    rlp_chain_add(chain, words[1]);
    context = (const uintptr_t *)words[0];
  }
}
