#include "work.h"

#include "bookkeeping.h"
#include "images.h"
#include "objects.h"
#include "queues.h"
#include "stack.h"
#include "thread_stock.h"
#include "work_ids.h"
#include "work_names.h"

// It waits in a queue in place of a function.
typedef struct {
  void *context;
  rlp_perform function;
  uint32_t object;   // made when it was queued; 0 = made when it runs
  uint32_t session;  // the recording that knows the object, the queue and the name
  uint32_t queue;
  uint32_t name;
} wrapper;

_Static_assert(sizeof(wrapper) == 32, "waiting work takes little memory");

static void free_wrappers(const uintptr_t *things, size_t count) {
  for (size_t i = 0; i < count; i++) free((void *)things[i]);
}

// Returns memory from malloc, with any contents; NULL = there is none. Called inside `rlp_enter`, as is the next one.
static wrapper *take_wrapper(void) {
  wrapper *kept = (wrapper *)rlp_stock_take(RLP_STOCK_OF_MEMORY, free_wrappers);
  return kept != NULL ? kept : malloc(sizeof *kept);
}

static void release_wrapper(wrapper *work) {
  rlp_stock_keep(RLP_STOCK_OF_MEMORY, (uintptr_t)work, free_wrappers);
}

int rlp_begin_recording_of_work(void) {
  return __atomic_load_n(&rlp_recording_state, __ATOMIC_ACQUIRE) == RLP_NOT_YET
         && !__atomic_load_n(&rlt_calls_are_filtered, __ATOMIC_RELAXED) && rlp_has_room_on_stack()
         && rlp_begin_recording();
}

// The place of the last argument, which is left out if it is 0.
enum { DUE_NS = 5 };

static void emit_creation(uint64_t stamp, uint32_t object, const uint64_t *arguments) {
  uint8_t mode = rlt_thread.mode;
  if (stamp == 0 && arguments[DUE_NS] == 0) rlt_emit_inline(RLT_KIND_WORK_CREATE, mode, object, arguments, DUE_NS);
  else rlt_emit_late(stamp, RLT_KIND_WORK_CREATE, mode, object, arguments, DUE_NS + (arguments[DUE_NS] != 0));
}

void rlp_emit_work(const rlp_new_work *made) {
  const uint64_t arguments[] = {made->name, made->kind, made->queue, made->parent, made->site, made->due_ns};
  emit_creation(made->stamp, made->object, arguments);
}

// MARK: Slices

int rlp_begin_watch(void) {
  rlt_ring *ring = rlt_thread.ring;
  if (ring == NULL || rlt_ring_runs(ring) != 0) return 0;
  rlt_ring_set_runs(ring, 1, rlt_thread.mode);
  return 1;
}

void rlp_end_watch(void) {
  if (rlt_thread.ring != NULL) rlt_ring_set_runs(rlt_thread.ring, 0, 0);
}

// Called inside `rlp_enter`.
static rlp_slice begin_slice(uint32_t work, uint32_t queue) {
  rlt_emit_inline(RLT_KIND_WORK_BEGIN, rlt_thread.mode, work, (const uint64_t[]){queue}, 1);
  return rlp_begin_watch() ? RLP_OUTERMOST_SLICE : RLP_INNER_SLICE;
}

rlp_slice rlp_begin_slice(uint32_t work, uint32_t queue) {
  if (!rlp_enter()) return RLP_NO_SLICE;
  rlp_slice slice = begin_slice(work, queue);
  rlp_leave();
  return slice;
}

void rlp_end_slice(rlp_slice slice, uint32_t work, uint64_t why) {
  if (!rlp_enter()) return;
  if (slice != RLP_NO_SLICE) {
    if (why == RLT_SLICE_DONE) rlt_emit(RLT_KIND_WORK_BEGIN + 1, work);
    else rlt_emit_inline(RLT_KIND_WORK_BEGIN + 1, rlt_thread.mode, work, &why, 1);
  }
  if (slice == RLP_OUTERMOST_SLICE) rlp_end_watch();
  if (why == RLT_SLICE_DONE) rlp_work_id_release(work);
  rlp_leave();
}

static void run(rlp_slice slice, uint32_t work, uint32_t session, rlp_perform function, void *context) {
  RLP_KEEP_FRAME();
  function(context);
  // After a fork, the begin event is in the parent's trace.
  if (session == rlp_session()) rlp_end_slice(slice, work, RLT_SLICE_DONE);
}

void rlp_run_slice(uint32_t work, uint32_t session, uint32_t queue, rlp_perform function, void *context) {
  rlp_slice slice = rlp_knows(work, session) ? rlp_begin_slice(work, queue) : RLP_NO_SLICE;
  run(slice, work, session, function, context);
}

// MARK: Wrappers

// Returns the object of new work. Called inside `rlp_enter`.
static uint32_t create(uint32_t name, uint32_t queue, uint64_t kind, uint64_t due_ns, rlp_caller caller) {
  uint32_t object = rlp_work_id_make();
  const uint64_t arguments[] = {name, kind, queue, 0, rlp_work_place(caller), due_ns};
  if (object != 0) emit_creation(0, object, arguments);
  return object;
}

// Creates work that runs now. How long it waited is not known. Called inside `rlp_enter`.
static uint32_t create_now(uint32_t name, uint32_t queue, uint64_t kind) {
  return create(name, queue, kind, 0, (rlp_caller){0});
}

uint32_t rlp_create_work_of_item(rlp_block *item, const void *queue, uint64_t due_ns, rlp_caller caller) {
  if (!rlp_enter()) return 0;
  uint64_t kind;
  item->name = rlp_work_name_of_block(item->original, &kind);
  item->queue = rlp_queue_object_of(queue);
  uint32_t object = item->queue == 0 ? 0 : create(item->name, item->queue, kind, due_ns, caller);
  rlp_leave();
  return object;
}

void rlp_run_work(void *memory) {
  wrapper work = *(const wrapper *)memory;
  rlp_slice slice = RLP_NO_SLICE;
  if (rlp_enter()) {
    release_wrapper(memory);
    if (work.session == rlp_session() && rlp_is_recording_already()) {
      if (work.object == 0) work.object = create_now(work.name, work.queue, RLT_WORK_OF_HANDLER);
      if (work.object != 0) slice = begin_slice(work.object, work.queue);
    }
    rlp_leave();
  } else {
    free(memory);
  }
  run(slice, work.object, work.session, work.function, work.context);
}

static void fill(wrapper *work, const void *queue, uint64_t kind, uint64_t due_ns, rlp_caller caller) {
  work->session = rlp_session();
  work->queue = rlp_queue_object_of(queue);
  if (due_ns != RLP_LATER) work->object = create(work->name, work->queue, kind, due_ns, caller);
}

// `closure`: that of a job; NULL = the job has no name, because the function that runs jobs says nothing about one of
// them.
static void *wrap(
    const void *queue, void *context, rlp_perform function, uint64_t kind, const uintptr_t *closure, uint64_t due_ns,
    rlp_caller caller) {
  if (function == NULL || function == rlp_run_work) return NULL;
  if (!rlp_enter()) return NULL;
  int kept_errno = errno;
  wrapper *work = take_wrapper();
  if (work != NULL) {
    *work = (wrapper){.context = context, .function = function};
    if (kind == RLT_WORK_OF_BLOCK) work->name = rlp_work_name_of_function((uintptr_t)function);
    else if (closure != NULL) work->name = rlp_work_name_of_task(closure);
    fill(work, queue, kind, due_ns, caller);
  }
  rlp_leave();
  errno = kept_errno;
  return work;
}

void *rlp_wrap_function(
    const void *queue, void *context, rlp_perform function, uint64_t due_ns, rlp_caller caller) {
  return wrap(queue, context, function, RLT_WORK_OF_BLOCK, NULL, due_ns, caller);
}

void *rlp_wrap_job_function(
    const void *queue, void *job, rlp_perform function, const uintptr_t *closure, uint64_t due_ns) {
  return wrap(queue, job, function, RLT_WORK_OF_JOB, closure, due_ns, (rlp_caller){0});
}

void rlp_invoke_block(void *memory) {
  rlp_block *block = memory;
  block->invoke(block);
}

static void run_copy(void *block) {
  __auto_type release = RLP_REAL(void (*)(const void *), _Block_release);
  rlp_invoke_block(block);
  release(block);
}

void *rlp_wrap_block_of(const void *queue, void *block, uint64_t due_ns, rlp_caller caller) {
  __auto_type copy = RLP_REAL(void *(*)(const void *), _Block_copy);
  if (block == NULL || copy == NULL || RLP_REAL(void *, _Block_release) == NULL) return NULL;
  int kept_errno = errno;
  // The program's own code may run in the copy.
  void *copied = copy(block);
  wrapper *work = NULL;
  if (copied != NULL && rlp_enter()) {
    work = take_wrapper();
    if (work != NULL) {
      uint64_t kind;
      *work = (wrapper){.context = copied, .function = run_copy, .name = rlp_work_name_of_block(copied, &kind)};
      fill(work, queue, kind, due_ns, caller);
    }
    rlp_leave();
  }
  if (copied != NULL && work == NULL) RLP_REAL(void (*)(const void *), _Block_release)(copied);
  errno = kept_errno;
  return work;
}

// MARK: Handlers of sources

int rlp_run_handler(rlp_block *handler) {
  if (!rlp_records_work()) return 0;
  __auto_type current = RLP_REAL(const void *(*)(void), dispatch_get_current_queue);
  const void *queue = current == NULL ? NULL : current();
  if (queue == NULL || !rlp_records_work_of(queue) || !rlp_enter()) return 0;
  uint64_t kind;
  uint32_t object = rlp_queue_object_of(queue), name = rlp_work_name_of_block(handler->original, &kind);
  // The handlers of the system's own sources, such as those for the time limits of runs, count as blocks. The block of a
  // handler in the program is code of the program, in Swift as well.
  if (rlp_kind_of((uintptr_t)handler->original->invoke) != RLP_SYSTEM_CODE) kind = RLT_WORK_OF_HANDLER;
  uint32_t work = create_now(name, object, kind);
  rlp_leave();
  rlp_run_slice(work, rlp_session(), object, rlp_invoke_block, handler->original);
  return 1;
}
