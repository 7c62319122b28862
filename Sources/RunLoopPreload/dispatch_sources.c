#include "dispatch_sources.h"

#include "loops.h"
#include "main_queue.h"
#include "names.h"
#include "objects.h"

// A timer source on the main queue. The thread that makes it sets it up, so its words change on one thread at a time.
// Two threads may make its object, so the object is exchanged atomically.
typedef struct {
  void *source;          // NULL = free
  uint64_t due_ns;       // the next point, on CLOCK_MONOTONIC; 0 = none is set
  uint64_t interval_ns;  // 0 = one shot
  uint64_t leeway_ns;
  uint32_t object, session;
  uint32_t name, site;   // in that session
  int suspensions;       // it fires at 0
  uint32_t listed_in;    // the loop that has it as a timer, 0 = none; in `listed_mode`
  uint8_t listed_mode;
} dispatch_timer;

enum { TIMERS_MAX = 512 };
static dispatch_timer timers[TIMERS_MAX];
static int are_there_timers;

static dispatch_timer *find(const void *source) {
  if (source == NULL || !__atomic_load_n(&are_there_timers, __ATOMIC_ACQUIRE)) return NULL;
  for (int i = 0; i < TIMERS_MAX; i++)
    if (__atomic_load_n(&timers[i].source, __ATOMIC_ACQUIRE) == source) return &timers[i];
  return NULL;
}

static void forget(dispatch_timer *timer) {
  if (timer->object != 0 && timer->session == rlp_session() && rlp_is_recording_already()) {
    rlt_emit(RLT_KIND_TIMER_INVALIDATE, timer->object);
    rlp_object_release(timer->object);
  }
  __atomic_store_n(&timer->source, NULL, __ATOMIC_RELEASE);
}

static void add(void *source) {
  for (int i = 0; i < TIMERS_MAX; i++) {
    void *nothing = NULL;
    if (!__atomic_compare_exchange_n(&timers[i].source, &nothing, source, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
      continue;
    timers[i] = (dispatch_timer){.source = source, .suspensions = 1};
    __atomic_store_n(&are_there_timers, 1, __ATOMIC_RELEASE);
    return;
  }
}

// Finds where the main queue is served: in the common modes of the main loop, or without a loop. Mode 0 = nowhere.
static uint8_t place(uint32_t *loop) {
  void *const *common = RLP_REAL(void *const *, kCFRunLoopCommonModes);
  if ((*loop = rlp_lane_loop()) != 0) return rlp_lane_mode();
  if (common == NULL) return 0;
  *loop = rlp_loop(rlp_main_loop());
  return rlp_mode(*common);
}

static void unlist(dispatch_timer *timer) {
  if (timer->listed_in != 0) RLP_EMIT(RLT_KIND_TIMER_REMOVE, rlt_thread.mode, timer->object, timer->listed_mode);
  timer->listed_in = 0;
}

// Records what is not recorded yet: that the timer exists, and where it is served.
static void update(dispatch_timer *timer) {
  if (!rlp_is_recording_already() || !rlp_records_callouts()) return;
  if (timer->session != rlp_session()) {
    timer->object = timer->name = timer->site = 0;
    timer->listed_in = 0;
    timer->session = rlp_session();
  }
  if (timer->object == 0) {
    if (timer->name == 0 || timer->due_ns == 0) return;
    uint32_t nothing = 0, object = rlp_object_make();
    if (!__atomic_compare_exchange_n(&timer->object, &nothing, object, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
      rlp_object_release(object);
      return;
    }
    RLP_EMIT(
        RLT_KIND_TIMER_CREATE, rlt_thread.mode, object, timer->name, timer->interval_ns, timer->leeway_ns,
        timer->due_ns, timer->site);
  }
  if (timer->suspensions > 0 || timer->due_ns == 0) {
    unlist(timer);
    return;
  }
  uint32_t loop, lane = rlp_lane_loop();
  if (timer->listed_in != 0 && (lane == 0 || timer->listed_in == lane)) return;
  uint8_t mode = place(&loop);
  if (mode == 0) return;
  unlist(timer);
  timer->listed_in = loop;
  timer->listed_mode = mode;
  RLP_EMIT(RLT_KIND_TIMER_ADD, rlt_thread.mode, timer->object, mode, loop);
}

int rlp_run_dispatch_timer(rlp_block *handler) {
  dispatch_timer *timer = find(handler->source);
  __auto_type fires = RLP_REAL(uint64_t (*)(void *), dispatch_source_get_data);
  if (timer == NULL || timer->due_ns == 0 || fires == NULL) return 0;
  update(timer);
  if (timer->object == 0) {
    timer->name = rlp_block_name(RLT_WORK_QUEUE_SOURCE, handler->original, (rlp_caller){0});
    update(timer);
  }
  uint32_t object = timer->object;
  if (object == 0) return 0;
  uint64_t due = timer->due_ns, now = rlt_monotonic_ns(), count = fires(handler->source);
  // The handler answers the oldest of the points that have passed.
  timer->due_ns = timer->interval_ns == 0 ? 0 : due + (count == 0 ? 1 : count) * timer->interval_ns;
  rlp_turn turn;
  if (!rlp_take_turn(&turn)) return 0;
  rlp_drain.is_in_item = 1;
  rlt_emit_timer_begin(RLT_KIND_TIMER_DUE, RLT_KIND_TIMER_BEGIN, object, due < now ? due : now);
  // A loop's timer drops the points that pass during its own callout. A dispatch timer was set to its next point
  // before its handler was called, and keeps it.
  if (timer->due_ns != 0) RLP_EMIT(RLT_KIND_TIMER_RESCHEDULE, rlt_thread.mode, object, timer->due_ns);
  uint32_t session = rlp_session();
  rlp_leave_lane(&turn);
  handler->original->invoke(handler->original);
  if (session == rlp_session()) {
    rlp_enter_lane(&turn);
    rlt_emit(RLT_KIND_TIMER_BEGIN + 1, object);
  }
  rlp_drain.is_in_item = 0;
  rlp_end_turn(&turn);
  return 1;
}

RLP_EXPORT void *dispatch_source_create(const void *type, uintptr_t handle, uintptr_t mask, void *queue) {
  RLP_FIND_REAL(dispatch_source_create, NULL);
  void *source = real(type, handle, mask, queue);
  static void *slot;
  // A source that was never cancelled had this address.
  dispatch_timer *earlier = find(source);
  if (earlier != NULL) forget(earlier);
  if (source != NULL && rlp_wraps_work_of(queue) && type == rlp_real("_dispatch_source_type_timer", &slot)) add(source);
  return source;
}

RLP_EXPORT void dispatch_source_set_timer(void *source, uint64_t start, uint64_t interval, uint64_t leeway) {
  RLP_FIND_REAL(dispatch_source_set_timer);
  real(source, start, interval, leeway);
  dispatch_timer *timer = find(source);
  if (timer == NULL) return;
  uint64_t due = start == UINT64_MAX ? 0 : rlp_dispatch_time_ns(start);
  timer->due_ns = start == UINT64_MAX ? 0 : due == 0 ? rlt_monotonic_ns() : due;
  timer->interval_ns = interval > INT64_MAX ? 0 : interval == 0 ? 1 : interval;
  timer->leeway_ns = timer->interval_ns != 0 && leeway > timer->interval_ns / 2 ? timer->interval_ns / 2 : leeway;
  int is_known = timer->object != 0 && timer->session == rlp_session();
  update(timer);
  if (is_known && timer->due_ns != 0 && rlp_is_recording_already())
    RLP_EMIT(RLT_KIND_TIMER_RESCHEDULE, rlt_thread.mode, timer->object, timer->due_ns);
}

RLP_EXPORT void dispatch_source_set_event_handler(void *source, void *block) {
  RLP_FIND_REAL(dispatch_source_set_event_handler);
  rlp_block made;
  void *wrapped = block;
  dispatch_timer *timer = find(source);
  if (block != NULL && rlp_wraps_work()) {
    rlp_caller caller = RLP_CALLER();
    wrapped = rlp_wrap_item(&made, block, RLT_WORK_QUEUE_SOURCE, RLP_LATER, caller);
    if (wrapped == &made && timer != NULL) {
      made.source = source;
      if (made.name != 0) {
        update(timer);
        timer->name = made.name;
        timer->site = rlp_site(caller);
      }
    }
  }
  real(source, wrapped);
  if (timer != NULL) update(timer);
}

#define SETS(name) \
  RLP_EXPORT void name(void *source, void *block) { \
    RLP_FIND_REAL(name); \
    rlp_block made; \
    if (block != NULL && rlp_wraps_work()) \
      block = rlp_wrap_item(&made, block, RLT_WORK_QUEUE_SOURCE, RLP_LATER, RLP_CALLER()); \
    real(source, block); \
  }

SETS(dispatch_source_set_cancel_handler)
SETS(dispatch_source_set_registration_handler)

#define SUSPENDS(name, change) \
  RLP_EXPORT void name(void *object) { \
    RLP_FIND_REAL(name); \
    rlp_note_suspended(object, RLP_SUSPENSION_##name); \
    dispatch_timer *timer = find(object); \
    if (timer != NULL) { \
      timer->suspensions = (change); \
      update(timer); \
    } \
    real(object); \
  }

enum { RLP_SUSPENSION_dispatch_activate = 0, RLP_SUSPENSION_dispatch_resume = -1, RLP_SUSPENSION_dispatch_suspend = 1 };

SUSPENDS(dispatch_activate, 0)
SUSPENDS(dispatch_resume, timer->suspensions - 1)
SUSPENDS(dispatch_suspend, timer->suspensions + 1)

RLP_EXPORT void dispatch_source_cancel(void *source) {
  RLP_FIND_REAL(dispatch_source_cancel);
  dispatch_timer *timer = find(source);
  if (timer != NULL) forget(timer);
  real(source);
}
