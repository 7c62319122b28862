// Functions with a context that a program puts on dispatch queues, including jobs of Swift's concurrency.
#include "dispatch_time.h"
#include "items.h"
#include "main_queue.h"
#include "objects.h"
#include "queue_lane.h"
#include "queue_turns.h"
#include "tasks.h"

typedef struct {
  void *context;
  rlp_perform function;
  uint32_t object;  // made when it was queued; 0 = made when it runs
  uint32_t session;
  int is_on_heap;
  int is_pending;  // see rlp_note_pending
} queued_function;

static void run(void *memory) {
  queued_function queued = *(queued_function *)memory;
  if (queued.is_pending) rlp_note_begun(&queued.is_pending);
  if (queued.is_on_heap) free(memory);
  else ((queued_function *)memory)->object = 0;
  if (!rlp_begins_item()) {
    // The function no longer waits.
    rlp_discard(queued.object, queued.session);
    queued.function(queued.context);
    return;
  }
  if (!rlp_knows(queued.object, queued.session))
    queued.object =
        rlp_item_object(rlp_function_name((uintptr_t)queued.function, queued.context, (rlp_caller){0}), 0);
  rlp_run_item(queued.object, queued.function, queued.context);
}

static int is_wanted(const void *queue, rlp_perform function) {
  return function != NULL && function != run && rlp_wraps_work_of(queue);
}

static void fill(queued_function *queued, void *context, rlp_perform function, int is_queued, rlp_caller caller) {
  *queued = (queued_function){.context = context, .function = function, .session = rlp_session()};
  if (is_queued && rlp_is_recording_already())
    queued->object = rlp_item_object(rlp_function_name((uintptr_t)function, context, caller), 0);
}

// Returns NULL if the function is to be queued as it is.
static queued_function *wrapped(
    const void *queue, void *context, rlp_perform function, int is_queued, rlp_caller caller) {
  queued_function *queued = is_wanted(queue, function) ? malloc(sizeof *queued) : NULL;
  if (queued == NULL) return NULL;
  if (rlp_records_queues()) rlp_note_main_job();
  fill(queued, context, function, is_queued, caller);
  queued->is_on_heap = 1;
  return queued;
}

// Replaces a function and its context by what records them as work of the queue.
static void wrap_work(const void *queue, void **context, rlp_perform *function, uint64_t due_ns, rlp_caller caller) {
  if (*function == rlp_run_work || rlp_wrap_job(queue, context, function, due_ns)) return;
  void *work = rlp_wrap_function(queue, *context, *function, due_ns, caller);
  if (work == NULL) return;
  *context = work;
  *function = rlp_run_work;
}

// The parameters end in a context and a function. `is_now`: the queue runs it as soon as it can. `is_dropped`: it will
// never run.
#define QUEUES(name, is_now, due_ns, is_dropped, parameters, ...) \
  RLP_EXPORT void name parameters { \
    RLP_FIND_REAL(name); \
    if (!(is_dropped) && rlp_records_work_of(queue)) { \
      wrap_work(queue, &context, &function, due_ns, RLP_CALLER()); \
      real(__VA_ARGS__, context, function); \
      return; \
    } \
    queued_function *queued = wrapped(queue, context, function, is_now, RLP_CALLER()); \
    if (is_now && queued != NULL) queued->is_pending = rlp_note_pending(queue); \
    if (queued == NULL) real(__VA_ARGS__, context, function); \
    else real(__VA_ARGS__, queued, run); \
  }

QUEUES(dispatch_async_f, 1, 0, 0, (void *queue, void *context, rlp_perform function), queue)
QUEUES(dispatch_barrier_async_f, 1, 0, 0, (void *queue, void *context, rlp_perform function), queue)
QUEUES(dispatch_async_enforce_qos_class_f, 1, 0, 0, (void *queue, void *context, rlp_perform function), queue)
QUEUES(dispatch_group_async_f, 1, 0, 0, (void *group, void *queue, void *context, rlp_perform function), group, queue)
QUEUES(
    dispatch_group_notify_f, 0, RLP_LATER, 0, (void *group, void *queue, void *context, rlp_perform function), group,
    queue)
QUEUES(
    dispatch_after_f, 0, rlp_dispatch_time_ns(when), when == RLP_NEVER,
    (uint64_t when, void *queue, void *context, rlp_perform function), when, queue)

#define WAITS(name, is_barrier) \
  RLP_EXPORT void name(void *queue, void *context, rlp_perform function) { \
    RLP_FIND_REAL(name); \
    if (rlp_records_work_of(queue)) { \
      if (rlp_queue_may_be_taken(queue, is_barrier) && function != NULL && function != rlp_run_turn) \
        RLP_TAKE_TURN(queue, is_barrier, context, function, real(queue, &turn, rlp_run_turn)); \
      else RLP_WAIT_FOR_QUEUE(queue, real(queue, context, function)); \
      return; \
    } \
    if (!is_wanted(queue, function)) { \
      RLP_WAIT_FOR_QUEUE(queue, real(queue, context, function)); \
      return; \
    } \
    queued_function queued; \
    fill(&queued, context, function, !rlp_is_own_queue(queue), RLP_CALLER()); \
    RLP_WAIT_FOR_QUEUE(queue, real(queue, &queued, run)); \
    rlp_discard(queued.object, queued.session); \
  }

WAITS(dispatch_sync_f, 0)
WAITS(dispatch_barrier_sync_f, 1)
WAITS(dispatch_async_and_wait_f, 0)
WAITS(dispatch_barrier_async_and_wait_f, 1)
