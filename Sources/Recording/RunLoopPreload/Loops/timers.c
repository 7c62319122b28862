#include "include/rltrace_preload.h"
#include "code.h"
#include "loops.h"
#include "names.h"
#include "objects.h"
#include "recording.h"
#include "rltrace_frame_sources.h"
#include "stubs.h"
#include "symbols.h"

static void note_precision(void) {
  static uint32_t noted;
  if (__atomic_exchange_n(&noted, rlp_session(), __ATOMIC_RELAXED) == rlp_session()) return;
  rlp_info("due_points", rlt_due_points());
  if (rlt_learn_timers()) rlt_spool_note(rlt_current_spool(), RLT_SEEN_EXACT_DUE);
}

static void describe(
    void *timer, uint32_t object, double interval, rlp_index order, uint32_t name, uint32_t site) {
  note_precision();
  uint64_t interval_ns = rlt_interval_ns(interval);
  RLP_EMIT(RLT_KIND_TIMER_CREATE, rlt_thread.mode, object, name, interval_ns, 0, rlt_due_ns(timer), site);
  rlt_loop_item item = {
      .kind = RLT_ITEM_TIMER, .name = name, .order = order, .address = rlp_key(timer), .interval_ns = interval_ns,
      .due_address = rlt_due_offset < 0 ? 0 : rlp_key(timer) + (uint64_t)rlt_due_offset};
  rlt_topology_item(object, &item);
}

static rlp_pool pool;

// Adopts a timer from before a fork. The new recording learns of it, and of its mode, at its first callout.
static uint32_t adopt(void *timer, unsigned number, void *info) {
  rlp_entry *entry = rlp_place(rlp_key(timer));
  if (entry == NULL) return 0;
  __auto_type interval = RLP_REAL(double (*)(void *), CFRunLoopTimerGetInterval);
  __auto_type loop = RLP_REAL(void *(*)(void), CFRunLoopGetCurrent);
  uint32_t name = rlp_callout_name(
      RLT_WORK_TIMER, (uintptr_t)rlp_pool_callout(&pool, number), info, (rlp_caller){0});
  describe(timer, entry->object, interval == NULL ? 0 : interval(timer), 0, name, 0);
  if (loop != NULL) {
    uint32_t object = rlp_loop(loop());
    RLP_EMIT(RLT_KIND_TIMER_ADD, rlt_thread.mode, entry->object, rlt_thread.mode, object);
    rlt_topology_add(entry->object, object, rlt_thread.mode, 0);
  }
  return entry->object;
}

static void timer_callout(unsigned number, void *timer, void *info) {
  RLP_KEEP_FRAME();
  rlp_timer_callout callout = (rlp_timer_callout)rlp_pool_callout(&pool, number);
  if (!rlp_is_recording()) {
    callout(timer, info);
    return;
  }
  const rlp_entry *entry = rlp_find(rlp_key(timer));
  uint32_t object =
      entry != NULL && entry->session == rlp_session() ? entry->object : adopt(timer, number, info);
  rlt_emit_timer_begin(RLT_KIND_TIMER_DUE, RLT_KIND_TIMER_BEGIN, object, rlt_due_ns(timer));
  uint32_t session = rlp_session();
  callout(timer, info);
  // After a fork, the begin event is in the parent's trace.
  if (session == rlp_session()) rlt_emit(RLT_KIND_TIMER_BEGIN + 1, object);
}

#define STUB(n) \
  static void timer_stub_##n(void *timer, void *info) { timer_callout(n, timer, info); }
#define PLACE(n) stubs[n] = timer_stub_##n;
RLP_512(STUB)
static rlp_timer_callout stubs[RLP_STUBS];
static pthread_once_t stubs_once = PTHREAD_ONCE_INIT;
static void place_stubs(void) { RLP_512(PLACE) }

// CFRunLoopTimerCreateWithHandler calls this function.
RLP_EXPORT void *CFRunLoopTimerCreate(void *allocator, double fire_date, double interval, unsigned long flags,
                                      rlp_index order, rlp_timer_callout callout, rlp_context *context) {
  RLP_FIND_REAL(CFRunLoopTimerCreate, NULL);
  if (callout == NULL || !rlp_records_callouts())
    return real(allocator, fire_date, interval, flags, order, callout, context);
  void *info = context == NULL ? NULL : context->info;
  pthread_once(&stubs_once, place_stubs);
  int number = rlp_pool_number(&pool, (void *)callout);
  void *timer = real(allocator, fire_date, interval, flags, order, number < 0 ? callout : stubs[number], context);
  // Do not record a timer whose callouts are not seen: it would look as if it skipped its fires.
  rlp_entry *entry = timer == NULL || number < 0 ? NULL : rlp_place(rlp_key(timer));
  if (entry != NULL) {
    rlp_caller caller = RLP_CALLER();
    uint32_t name = rlp_callout_name(RLT_WORK_TIMER, (uintptr_t)callout, info, caller);
    describe(timer, entry->object, interval, order, name, rlp_site(caller));
  }
  return timer;
}

RLP_EXPORT void CFRunLoopAddTimer(void *loop, void *timer, void *mode) {
  RLP_FIND_REAL(CFRunLoopAddTimer);
  rlp_note_added(RLT_KIND_TIMER_ADD, loop, timer, mode);
  real(loop, timer, mode);
}

RLP_EXPORT void CFRunLoopRemoveTimer(void *loop, void *timer, void *mode) {
  RLP_FIND_REAL(CFRunLoopRemoveTimer);
  real(loop, timer, mode);
  rlp_note_removed(RLT_KIND_TIMER_REMOVE, loop, timer, mode);
}

RLP_EXPORT void CFRunLoopTimerSetNextFireDate(void *timer, double date) {
  RLP_FIND_REAL(CFRunLoopTimerSetNextFireDate);
  uint32_t object = rlp_known_object(timer);
  uint32_t loop = object == 0 ? 0 : rlt_topology_loop_of(object);
  // The loop of another thread may fire before this thread continues, so record the change first.
  int is_others = loop != 0 && !rlp_runs_loop(loop);
  if (is_others) RLP_EMIT(RLT_KIND_TIMER_RESCHEDULE, rlt_thread.mode, object, rlt_due_of_date_ns(date));
  real(timer, date);
  if (object != 0 && !is_others)
    RLP_EMIT(RLT_KIND_TIMER_RESCHEDULE, rlt_thread.mode, object, rlt_due_ns(timer));
}

RLP_EXPORT void rltrace_frames(void *timer) {
  uint32_t object = rlp_known_object(timer);
  __auto_type interval = RLP_REAL(double (*)(void *), CFRunLoopTimerGetInterval);
  if (object == 0 || interval == NULL) return;
  rlt_emit(RLT_KIND_TIMER_FRAMES, object);
  rlt_follow_frames(object, rlt_interval_ns(interval(timer)));
}

// Every timer is invalidated here. The function may be called several times for one timer.
RLP_EXPORT void CFRunLoopTimerInvalidate(void *timer) {
  RLP_FIND_REAL(CFRunLoopTimerInvalidate);
  rlp_note_invalidated(timer, RLT_KIND_TIMER_INVALIDATE);
  real(timer);
}
