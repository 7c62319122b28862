#include "code.h"
#include "loops.h"
#include "names.h"
#include "objects.h"
#include "stubs.h"
#include "symbols.h"

// Where a timer keeps the monotonic time of its next fire; -1 = not understood.
static long fire_time_offset = -1;
static pthread_once_t calibration_once = PTHREAD_ONCE_INIT;

static void probe_callout(void *timer, void *info) {
  (void)timer;
  (void)info;
}

typedef void *(*create_function)(void *, double, double, unsigned long, rlp_index, rlp_timer_callout, rlp_context *);
static create_function real_create(void) { return RLP_REAL(create_function, CFRunLoopTimerCreate); }

static void calibrate(void) {
  const double interval = 7654321.0625, seconds = 1000;
  double (*now)(void) = RLP_REAL(double (*)(void), CFAbsoluteTimeGetCurrent);
  void (*release)(void *) = RLP_REAL(void (*)(void *), CFRelease);
  if (now == NULL || release == NULL || real_create() == NULL) return;
  uint64_t ahead = (uint64_t)seconds * 1000000000u, earliest = rlt_monotonic_ns() + ahead;
  void *timer = real_create()(NULL, now() + seconds, interval, 0, 0, probe_callout, NULL);
  uint64_t latest = rlt_monotonic_ns() + ahead;
  if (timer == NULL) return;
  // A millisecond of tolerance: the date is a double of microseconds' precision.
  fire_time_offset = rlt_find_fire_time_offset(timer, interval, earliest - 1000000, latest + 1000000);
  release(timer);
}

static uint64_t due_of(void *timer) {
  if (__builtin_expect(fire_time_offset >= 0, 1)) return rlt_fire_time_at(timer, fire_time_offset);
  double (*now)(void) = RLP_REAL(double (*)(void), CFAbsoluteTimeGetCurrent);
  double (*date)(void *) = RLP_REAL(double (*)(void *), CFRunLoopTimerGetNextFireDate);
  if (now == NULL || date == NULL) return 0;
  double due = (double)rlt_monotonic_ns() + (date(timer) - now()) * 1e9;
  return due < 0 ? 0 : (uint64_t)due;
}

static void note_precision(void) {
  static uint32_t noted;
  if (__atomic_exchange_n(&noted, rlp_session(), __ATOMIC_RELAXED) == rlp_session()) return;
  rlp_info("due_points", fire_time_offset >= 0 ? "exact" : "from wall-clock fire dates");
  if (fire_time_offset >= 0) rlt_spool_note(rlt_current.spool, RLT_SEEN_EXACT_DUE);
}

// What is longer than CoreFoundation counts is as long as it counts.
static uint64_t interval_ns(double interval) {
  return interval <= 0 ? 0 : (uint64_t)((interval > RLT_LONGEST_SECONDS ? RLT_LONGEST_SECONDS : interval) * 1e9 + 0.5);
}

static void describe(void *timer, uint32_t object, double interval, uint32_t name, uint32_t site) {
  pthread_once(&calibration_once, calibrate);
  note_precision();
  RLP_EMIT(
      RLT_KIND_TIMER_CREATE, rlt_thread.mode, object, name, interval_ns(interval), 0,
      due_of(timer), site);
}

static rlp_pool pool;

// A timer from before a fork: the new recording learns of it at its first callout, and of the mode it fires in.
static uint32_t adopt(void *timer, unsigned number, void *info) {
  rlp_entry *entry = rlp_place(rlp_key(timer));
  if (entry == NULL) return 0;
  double (*interval)(void *) = RLP_REAL(double (*)(void *), CFRunLoopTimerGetInterval);
  void *(*loop)(void) = RLP_REAL(void *(*)(void), CFRunLoopGetCurrent);
  uint32_t name = rlp_callout_name(
      RLT_WORK_TIMER, (uintptr_t)rlp_pool_callout(&pool, number), info, (rlp_caller){0});
  describe(timer, entry->object, interval == NULL ? 0 : interval(timer), name, 0);
  if (loop != NULL)
    RLP_EMIT(RLT_KIND_TIMER_ADD, rlt_thread.mode, entry->object, rlt_thread.mode, rlp_loop(loop()));
  return entry->object;
}

static void timer_callout(unsigned number, void *timer, void *info) {
  rlp_timer_callout callout = (rlp_timer_callout)rlp_pool_callout(&pool, number);
  if (!rlp_is_recording()) {
    callout(timer, info);
    return;
  }
  const rlp_entry *entry = rlp_find(rlp_key(timer));
  uint32_t object =
      entry != NULL && entry->session == rlp_session() ? entry->object : adopt(timer, number, info);
  rlt_emit_timer_begin(RLT_KIND_TIMER_DUE, RLT_KIND_TIMER_BEGIN, object, due_of(timer));
  callout(timer, info);
  rlt_emit(RLT_KIND_TIMER_BEGIN + 1, object);
}

#define STUB(n) \
  static void timer_stub_##n(void *timer, void *info) { timer_callout(n, timer, info); }
#define NAME(n) timer_stub_##n,
RLP_512(STUB)
static const rlp_timer_callout stubs[RLP_STUBS] = {RLP_512(NAME)};

// CFRunLoopTimerCreateWithHandler comes here, too.
RLP_EXPORT void *CFRunLoopTimerCreate(void *allocator, double fire_date, double interval, unsigned long flags,
                                      rlp_index order, rlp_timer_callout callout, rlp_context *context) {
  create_function real = real_create();
  if (real == NULL) return NULL;
  if (callout == NULL || !rlp_records_callouts())
    return real(allocator, fire_date, interval, flags, order, callout, context);
  void *info = context == NULL ? NULL : context->info;
  int number = rlp_pool_number(&pool, (void *)callout);
  void *timer = real(allocator, fire_date, interval, flags, order, number < 0 ? callout : stubs[number], context);
  // A timer whose callouts are not seen would seem to skip its fires.
  rlp_entry *entry = timer == NULL || number < 0 ? NULL : rlp_place(rlp_key(timer));
  if (entry != NULL) {
    rlp_caller caller = RLP_CALLER();
    uint32_t name = rlp_callout_name(RLT_WORK_TIMER, (uintptr_t)callout, info, caller);
    describe(timer, entry->object, interval, name, rlp_site(caller));
  }
  return timer;
}

// The object of a timer that lives and that this recording knows; 0 for others.
static uint32_t object_of(void *timer) {
  if (timer == NULL || !rlp_records_callouts()) return 0;
  const rlp_entry *entry = rlp_find(rlp_key(timer));
  return entry == NULL || entry->is_dead || entry->session != rlp_session() ? 0 : entry->object;
}

RLP_EXPORT void CFRunLoopAddTimer(void *loop, void *timer, void *mode) {
  void (*real)(void *, void *, void *) = RLP_REAL(void (*)(void *, void *, void *), CFRunLoopAddTimer);
  if (real == NULL) return;
  uint32_t object = loop == NULL || mode == NULL ? 0 : object_of(timer);
  if (object != 0) RLP_EMIT(RLT_KIND_TIMER_ADD, rlt_thread.mode, object, rlp_mode(mode), rlp_loop(loop));
  real(loop, timer, mode);
}

RLP_EXPORT void CFRunLoopRemoveTimer(void *loop, void *timer, void *mode) {
  void (*real)(void *, void *, void *) = RLP_REAL(void (*)(void *, void *, void *), CFRunLoopRemoveTimer);
  if (real == NULL) return;
  real(loop, timer, mode);
  uint32_t object = mode == NULL ? 0 : object_of(timer);
  if (object != 0) RLP_EMIT(RLT_KIND_TIMER_REMOVE, rlt_thread.mode, object, rlp_mode(mode));
}

RLP_EXPORT void CFRunLoopTimerSetNextFireDate(void *timer, double date) {
  void (*real)(void *, double) = RLP_REAL(void (*)(void *, double), CFRunLoopTimerSetNextFireDate);
  if (real == NULL) return;
  real(timer, date);
  uint32_t object = object_of(timer);
  if (object != 0) RLP_EMIT(RLT_KIND_TIMER_RESCHEDULE, rlt_thread.mode, object, due_of(timer));
}

// Every timer dies through here, once or several times.
RLP_EXPORT void CFRunLoopTimerInvalidate(void *timer) {
  void (*real)(void *) = RLP_REAL(void (*)(void *), CFRunLoopTimerInvalidate);
  if (real == NULL) return;
  uint32_t object = object_of(timer);
  if (object != 0) {
    rlp_entry *entry = rlp_find(rlp_key(timer));
    if (entry != NULL && __atomic_exchange_n(&entry->is_dead, 1, __ATOMIC_ACQ_REL) == 0)
      rlt_emit(RLT_KIND_TIMER_INVALIDATE, object);
  }
  real(timer);
}
