#include "dispatch_timers.h"

#include "loops.h"
#include "names.h"
#include "objects.h"
#include "queue_lane.h"

enum { TIMERS_MAX = 512 };
static rlp_dispatch_timer timers[TIMERS_MAX];
static int are_there_timers;

rlp_dispatch_timer *rlp_find_dispatch_timer(const void *source) {
  if (source == NULL || !__atomic_load_n(&are_there_timers, __ATOMIC_ACQUIRE)) return NULL;
  for (int i = 0; i < TIMERS_MAX; i++)
    if (__atomic_load_n(&timers[i].source, __ATOMIC_ACQUIRE) == source) return &timers[i];
  return NULL;
}

void rlp_forget_dispatch_timer(rlp_dispatch_timer *timer) {
  if (timer->object != 0 && timer->session == rlp_session() && rlp_is_recording_already()) {
    rlt_emit(RLT_KIND_TIMER_INVALIDATE, timer->object);
    rlp_object_release(timer->object);
  }
  __atomic_store_n(&timer->source, NULL, __ATOMIC_RELEASE);
}

void rlp_add_dispatch_timer(void *source) {
  for (int i = 0; i < TIMERS_MAX; i++) {
    void *nothing = NULL;
    if (!__atomic_compare_exchange_n(&timers[i].source, &nothing, source, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
      continue;
    timers[i] = (rlp_dispatch_timer){.source = source, .suspensions = 1};
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

static void unlist(rlp_dispatch_timer *timer) {
  if (timer->listed_in != 0) RLP_EMIT(RLT_KIND_TIMER_REMOVE, rlt_thread.mode, timer->object, timer->listed_mode);
  timer->listed_in = 0;
}

void rlp_update_dispatch_timer(rlp_dispatch_timer *timer) {
  if (!rlp_is_recording_already() || !rlp_brackets_callouts()) return;
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
  rlp_dispatch_timer *timer = rlp_find_dispatch_timer(handler->source);
  __auto_type fires = RLP_REAL(uint64_t (*)(void *), dispatch_source_get_data);
  if (timer == NULL || timer->due_ns == 0 || fires == NULL) return 0;
  rlp_update_dispatch_timer(timer);
  if (timer->object == 0) {
    timer->name = rlp_block_name(RLT_WORK_QUEUE_SOURCE, handler->original, (rlp_caller){0});
    rlp_update_dispatch_timer(timer);
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
