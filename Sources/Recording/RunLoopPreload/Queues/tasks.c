#include "tasks.h"

#include "bookkeeping.h"
#include "jobs.h"
#include "names.h"
#include "objects.h"
#include "queue_lane.h"
#include "queues.h"
#include "task_table.h"
#include "work_ids.h"
#include "work_names.h"

// Where a task has the exclusivity set, and behind it the status.
enum { SET_OFFSET = 0x50, STATUS_BEHIND_SET = 16, IS_RUNNING = 0x800, IS_ENQUEUED = 0x1000 };

static uint32_t status_at(const char *set) {
  return __atomic_load_n((const uint32_t *)(const void *)(set + STATUS_BEHIND_SET), __ATOMIC_RELAXED);
}

static int knows_layout(void) {
  static uint32_t noted;  // the recording that has a note about it
  const uint32_t *layout = RLP_REAL(const uint32_t *, _swift_concurrency_debug_internal_layout_version);
  int is_known = layout != NULL && *layout == RLP_TASK_LAYOUT;
  if (__builtin_expect(__atomic_load_n(&noted, __ATOMIC_RELAXED) != rlp_session(), 0)
      && __atomic_exchange_n(&noted, rlp_session(), __ATOMIC_RELAXED) != rlp_session())
    rlp_info("tasks", is_known ? "recorded" : "jobs");
  return is_known;
}

static int records_tasks(void) { return rlp_records_work() && knows_layout(); }

// MARK: Creation

// The task that the calling thread creates. Its object is made before the stamp: an id that another thread releases
// later served other work at the time of the stamp.
typedef struct {
  uint64_t stamp;  // 0 = it creates none
  const char *name;
  uintptr_t closure[2];
  uint32_t object, parent, site;
  int is_added, is_of_main_queue;
} creation;

static RLT_TLS creation own_creation;

void rlp_note_main_job(void) { own_creation.is_of_main_queue = 1; }

// `is_current`: the calling thread runs the task, so the runtime can say its name.
static uint32_t name_of_task(const void *task, int is_current) {
  __auto_type current_name = RLP_REAL(const char *(*)(void), swift_task_getCurrentTaskName);
  const char *name = is_current && current_name != NULL ? current_name() : NULL;
  if (name != NULL) return rlp_string(name);
  const uintptr_t *closure = rlp_closure_of_new_task(task);
  if (closure != NULL) return rlp_work_name_of_task(closure);
  rlp_chain chain = {.count = 0};
  rlp_chain_add_job(&chain, task);
  return rlp_chain_name(&chain, RLT_WORK_TASK, (rlp_caller){0});
}

// Returns the entry of a task. `may_be_created`: it may be the one that this thread creates. Else the thread runs it:
// an executor of the program may have begun it before the function that creates it returned.
static rlp_task *entry_of(const void *task, int may_be_created) {
  rlp_task *known = rlp_find_task(task);
  if (known != NULL) return known;
  creation *made = &own_creation;
  rlp_task_facts facts = {0};
  if (may_be_created && made->stamp != 0 && !made->is_added) {
    made->is_added = 1;
    facts = (rlp_task_facts){.object = made->object, .parent = made->parent, .site = made->site};
    facts.name = made->name != NULL ? rlp_string(made->name) : rlp_work_name_of_task(made->closure);
  } else {
    facts.name = name_of_task(task, !may_be_created);
  }
  rlp_task *entry = rlp_add_task(task, &facts);
  rlp_work_id_release(facts.object);
  return entry;
}

// Records the creation of a task, once. Returns whether that was now.
static int record_creation(rlp_task *task, uint32_t queue, uint64_t due_ns, uint64_t stamp) {
  uint32_t nothing = 0;
  if (!__atomic_compare_exchange_n(&task->is_created, &nothing, 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) return 0;
  rlp_new_work made = {
      .stamp = stamp, .kind = RLT_WORK_OF_TASK, .due_ns = due_ns, .object = task->object, .name = task->name,
      .queue = queue, .parent = task->parent, .site = task->site};
  rlp_emit_work(&made);
  return 1;
}

// The same, for a task that is not on the main queue.
static int create(rlp_task *task, uint32_t queue, uint64_t due_ns, uint64_t stamp) {
  if (task->is_elsewhere == 0) task->is_elsewhere = 1;
  return record_creation(task, queue, due_ns, stamp);
}

// An option of a new task. The compiler makes them, so their layout is part of the ABI.
typedef struct option {
  uintptr_t kind;  // in the lowest byte
  const struct option *next;
  const char *name;
} option;

enum { NAME_OPTION = 7, OPTIONS_MAX = 16 };

static const char *name_in(const option *at) {
  for (int i = 0; i < OPTIONS_MAX && at != NULL; i++, at = at->next)
    if ((at->kind & 0xFF) == NAME_OPTION) return at->name;
  return NULL;
}

static void *current_task(void) {
  __auto_type current = RLP_REAL(void *(*)(void), swift_task_getCurrent);
  return current == NULL ? NULL : current();
}

enum { IS_CHILD = 1 << 8, IS_TO_BE_QUEUED = 1 << 12 };

static uint32_t parent_of(uintptr_t flags) {
  const void *parent = (flags & IS_CHILD) != 0 ? current_task() : NULL;
  const rlp_task *known = parent == NULL ? NULL : rlp_find_task(parent);
  return known == NULL || !known->is_created ? 0 : known->object;
}

static void begin_creation(
    uintptr_t flags, const option *options, const int32_t *closure, const void *context, rlp_caller caller) {
  if (!rlp_enter()) return;
  // The function's address is relative to its record.
  uintptr_t function = (uintptr_t)closure + (uintptr_t)(intptr_t)*closure;
  own_creation = (creation){
      .name = name_in(options), .closure = {function, (uintptr_t)context}, .object = rlp_work_id_make(),
      .parent = parent_of(flags), .site = rlp_work_place(caller)};
  own_creation.stamp = rlt_stamp();
  rlp_leave();
}

// The task was not queued on a Dispatch queue: an actor has it, or it does not run yet. It may be over by now.
static void end_creation(uintptr_t flags, char *task) {
  creation *made = &own_creation;
  if (made->stamp == 0 || made->is_added || !rlp_enter()) return;
  if (task != NULL && rlp_is_task(task)) {
    rlp_task *entry = entry_of(task, 1);
    int is_waiting = (status_at(task + SET_OFFSET) & (IS_RUNNING | IS_ENQUEUED)) == IS_ENQUEUED;
    if (entry != NULL && is_waiting && (flags & IS_TO_BE_QUEUED) != 0 && !made->is_of_main_queue)
      create(entry, 0, 0, made->stamp);
  }
  if (!made->is_added) rlp_work_id_release(made->object);
  rlp_leave();
}

typedef struct {
  void *task, *context;
} task_and_context;

RLP_EXPORT task_and_context swift_task_create(
    uintptr_t flags, const void *options, const void *type, const int32_t *closure, void *context) {
  // Read at once: the compiler may move the rest into a function of its own, which has another caller.
  rlp_caller caller = RLP_CALLER();
  __asm__ volatile("" : "+r"(caller.return_address), "+r"(caller.frame));
  RLP_FIND_REAL(swift_task_create, (task_and_context){NULL, NULL});
  if (closure == NULL || !records_tasks()) return real(flags, options, type, closure, context);
  creation outer = own_creation;
  own_creation.stamp = 0;
  begin_creation(flags, options, closure, context, caller);
  task_and_context made = real(flags, options, type, closure, context);
  end_creation(flags, made.task);
  own_creation = outer;
  return made;
}

// MARK: Slices

typedef struct {
  rlp_task *task;
  const void *address;
  uintptr_t frame;  // of the function that the runtime called when the slice began
  uint32_t object, session;
  rlp_slice slice;
  int is_on_main_queue;  // it is part of a block of the main queue, which is recorded
} open_slice;

// The slices that the calling thread runs, the innermost one last. A task may start another one inside its slice, and
// wait until that is over or suspended.
enum { SLICES_MAX = 8 };
static RLT_TLS struct {
  open_slice slices[SLICES_MAX];
  int count;
  int outside;  // the first ones, which the innermost job is part of
} own;

// Records the state of a task on the main queue by a slice without length: the queue's blocks have the lengths of its
// slices. The slice of a task that runs only there has no queue: the waits of those blocks are those of the task.
static void emit_state(int is_elsewhere, uint32_t object, uint64_t why) {
  const void *queue = is_elsewhere ? rlp_main_queue() : NULL;
  uint32_t main_queue = 0;
  if (queue != NULL && rlp_enter()) {
    main_queue = rlp_queue_object_of(queue);
    rlp_leave();
  }
  rlp_end_slice(rlp_begin_slice(object, main_queue), object, why);
}

static void end_innermost(uint64_t why) {
  open_slice ended = own.slices[--own.count];
  if (!rlp_knows(ended.object, ended.session)) return;
  int is_elsewhere = (int)ended.task->is_elsewhere;
  // Another task may have its address by now.
  if (why == RLT_SLICE_DONE) rlp_forget_task(ended.task, ended.object);
  else rlp_end_task_slice(ended.task, ended.object);
  if (!ended.is_on_main_queue) rlp_end_slice(ended.slice, ended.object, why);
  else if (why != RLT_SLICE_SUSPENDED) emit_state(is_elsewhere, ended.object, why);
}

typedef struct {
  void *identity, *implementation;
} executor;

// Returns the object of the queue, actor or executor that runs the calling thread's task; 0 = not known.
static uint32_t queue_of(const rlp_task *task) {
  __auto_type current = RLP_REAL(executor (*)(void), swift_task_getCurrentExecutor);
  executor found = current == NULL ? (executor){NULL, NULL} : current();
  if (found.identity == NULL) return task->queue;
  // On the main thread, it is the main actor, whose queue has no object.
  static RLT_TLS int is_main;  // 1 = yes, -1 = no
  if (is_main == 0) is_main = rlt_is_main_thread() ? 1 : -1;
  // An actor without an executor of the program is its own executor, and has no implementation of one.
  return is_main > 0 ? 0 : rlp_actor_object_of(found.identity, found.implementation != NULL);
}

// Ends the slices of tasks that completed: they began where this one begins. Deeper on the stack, they are under way.
static void end_completed(uintptr_t frame) {
  while (own.count > own.outside && own.slices[own.count - 1].frame <= frame) end_innermost(RLT_SLICE_DONE);
}

static void begin_slice(const char *set, uintptr_t frame) {
  const char *task = current_task();
  if (task == NULL || set - task != SET_OFFSET || own.count == SLICES_MAX || !rlp_enter()) return;
  rlp_task *entry = entry_of(task, 0);
  int is_on_main_queue = rlp_drain.is_in_item;
  uint32_t queue = entry == NULL || is_on_main_queue ? 0 : queue_of(entry);
  if (entry != NULL && is_on_main_queue) record_creation(entry, 0, 0, 0);
  else if (entry != NULL) create(entry, queue, 0, 0);
  rlp_leave();
  if (entry == NULL) return;
  rlp_begin_task_slice(entry);
  rlp_slice slice = is_on_main_queue ? RLP_NO_SLICE : rlp_begin_slice(entry->object, queue);
  if (is_on_main_queue) emit_state((int)entry->is_elsewhere, entry->object, RLT_SLICE_SUSPENDED);
  own.slices[own.count++] = (open_slice){
      .task = entry, .address = task, .frame = frame, .object = entry->object, .session = rlp_session(),
      .slice = slice, .is_on_main_queue = is_on_main_queue};
}

RLP_EXPORT void swift_task_enterThreadLocalContext(char *set) {
  RLP_FIND_REAL(swift_task_enterThreadLocalContext);
  real(set);
  if (!records_tasks()) return;
  int kept_errno = errno;
  uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
  end_completed(frame);
  begin_slice(set, frame);
  errno = kept_errno;
}

// Ends the slice of a task that leaves the thread, and those that completed inside it.
static void leave(const char *set) {
  int at = own.count - 1;
  while (at >= own.outside && own.slices[at].address != set - SET_OFFSET) at--;
  if (at < own.outside) return;
  while (own.count - 1 > at) end_innermost(RLT_SLICE_DONE);
  end_innermost((status_at(set) & IS_ENQUEUED) != 0 ? RLT_SLICE_QUEUED : RLT_SLICE_SUSPENDED);
}

RLP_EXPORT void swift_task_exitThreadLocalContext(char *set) {
  RLP_FIND_REAL(swift_task_exitThreadLocalContext);
  if (own.count > own.outside) {
    int kept_errno = errno;
    leave(set);
    errno = kept_errno;
  }
  real(set);
}

void rlp_end_main_job(void) {
  while (own.count > own.outside && own.slices[own.count - 1].is_on_main_queue) end_innermost(RLT_SLICE_DONE);
}

// MARK: Jobs

static rlp_perform job_function;  // the runtime's function that runs a job

// Runs `statement`, which runs a job. Its task may complete.
#define RUN_JOB(statement) \
  do { \
    RLP_KEEP_FRAME(); \
    int outside_ = own.outside; \
    own.outside = own.count; \
    statement; \
    while (own.count > own.outside) end_innermost(RLT_SLICE_DONE); \
    own.outside = outside_; \
  } while (0)

static void run_job(void *job) { RUN_JOB(job_function(job)); }

// Executors of the program run jobs themselves.
RLP_EXPORT void swift_job_run(void *job, void *identity, void *implementation) {
  RLP_FIND_REAL(swift_job_run);
  RUN_JOB(real(job, identity, implementation));
}

RLP_EXPORT void swift_job_run_on_task_executor(void *job, void *identity, void *implementation) {
  RLP_FIND_REAL(swift_job_run_on_task_executor);
  RUN_JOB(real(job, identity, implementation));
}

RLP_EXPORT void swift_job_run_on_serial_and_task_executor(
    void *job, void *serial_identity, void *serial_implementation, void *identity, void *implementation) {
  RLP_FIND_REAL(swift_job_run_on_serial_and_task_executor);
  RUN_JOB(real(job, serial_identity, serial_implementation, identity, implementation));
}

static rlp_perform timer_function;  // the same, for a timer of its own, as of a sleep with a tolerance

static void run_job_of_timer(void *timer) { RUN_JOB(timer_function(timer)); }

RLP_EXPORT void dispatch_source_set_event_handler_f(void *source, rlp_perform function) {
  RLP_FIND_REAL(dispatch_source_set_event_handler_f);
  if (function != NULL && records_tasks()) {
    rlp_perform known = __atomic_load_n(&timer_function, __ATOMIC_RELAXED);
    if (known == NULL && rlp_runs_job((uintptr_t)function))
      __atomic_store_n(&timer_function, known = function, __ATOMIC_RELAXED);
    if (function == known) function = run_job_of_timer;
  }
  real(source, function);
}

// Remembers functions that run no job: to find that out takes long.
static int is_job_function(rlp_perform function) {
  enum { OTHERS_BITS = 8 };
  static uintptr_t others[1 << OTHERS_BITS];
  if (function == __atomic_load_n(&job_function, __ATOMIC_RELAXED)) return 1;
  uintptr_t *other = &others[(uintptr_t)function * 0x9E3779B97F4A7C15u >> (64 - OTHERS_BITS)];
  if (__atomic_load_n(other, __ATOMIC_RELAXED) == (uintptr_t)function) return 0;
  if (rlp_runs_job((uintptr_t)function)) return 1;
  __atomic_store_n(other, (uintptr_t)function, __ATOMIC_RELAXED);
  return 0;
}

static void queue_task(const void *queue, const void *job, uint64_t due_ns) {
  int kept_errno = errno;
  if (!rlp_enter()) return;
  uint64_t stamp = own_creation.is_added ? 0 : own_creation.stamp;
  uint32_t object = rlp_queue_object_of(queue);
  rlp_task *task = entry_of(job, 1);
  if (task != NULL) {
    task->queue = object;
    if (!create(task, object, due_ns, stamp))
      RLP_EMIT(RLT_KIND_WORK_QUEUE, rlt_thread.mode, task->object, object);
  }
  rlp_leave();
  errno = kept_errno;
}

int rlp_wrap_job(const void *queue, void **context, rlp_perform *function, uint64_t due_ns) {
  // Dispatch queues work again that was to run later, but is due by now.
  if (*function == run_job) return 1;
  if (!is_job_function(*function)) return 0;
  if (!knows_layout()) {
    void *work = rlp_wrap_job_function(queue, *context, *function, NULL, due_ns);
    if (work == NULL) return 1;
    *context = work;
    *function = rlp_run_work;
    return 1;
  }
  rlp_perform nothing = NULL;
  __atomic_compare_exchange_n(&job_function, &nothing, *function, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  if (*function != job_function) return 1;
  if (rlp_is_task(*context)) queue_task(queue, *context, due_ns);
  // Jobs of actors run several tasks.
  *function = run_job;
  return 1;
}
