// Dispatch sources whose handlers run on the main queue.
#include "dispatch_time.h"
#include "dispatch_timers.h"
#include "items.h"
#include "main_queue.h"
#include "objects.h"
#include "queue_lane.h"

RLP_EXPORT void *dispatch_source_create(const void *type, uintptr_t handle, uintptr_t mask, void *queue) {
  RLP_FIND_REAL(dispatch_source_create, NULL);
  void *source = real(type, handle, mask, queue);
  static void *slot;
  // An earlier source at this address was freed without being cancelled.
  rlp_dispatch_timer *earlier = rlp_find_dispatch_timer(source);
  if (earlier != NULL) rlp_forget_dispatch_timer(earlier);
  if (source != NULL && rlp_wraps_work_of(queue) && type == rlp_real("_dispatch_source_type_timer", &slot)) rlp_add_dispatch_timer(source);
  return source;
}

RLP_EXPORT void dispatch_source_set_timer(void *source, uint64_t start, uint64_t interval, uint64_t leeway) {
  RLP_FIND_REAL(dispatch_source_set_timer);
  real(source, start, interval, leeway);
  rlp_dispatch_timer *timer = rlp_find_dispatch_timer(source);
  if (timer == NULL) return;
  uint64_t due = start == UINT64_MAX ? 0 : rlp_dispatch_time_ns(start);
  timer->due_ns = start == UINT64_MAX ? 0 : due == 0 ? rlt_monotonic_ns() : due;
  timer->interval_ns = interval > INT64_MAX ? 0 : interval == 0 ? 1 : interval;
  timer->leeway_ns = timer->interval_ns != 0 && leeway > timer->interval_ns / 2 ? timer->interval_ns / 2 : leeway;
  int is_known = timer->object != 0 && timer->session == rlp_session();
  rlp_update_dispatch_timer(timer);
  if (is_known && timer->due_ns != 0 && rlp_is_recording_already())
    RLP_EMIT(RLT_KIND_TIMER_RESCHEDULE, rlt_thread.mode, timer->object, timer->due_ns);
}

RLP_EXPORT void dispatch_source_set_event_handler(void *source, void *block) {
  RLP_FIND_REAL(dispatch_source_set_event_handler);
  rlp_block made;
  void *wrapped = block;
  rlp_dispatch_timer *timer = rlp_find_dispatch_timer(source);
  if (block != NULL && rlp_wraps_work()) {
    rlp_caller caller = RLP_CALLER();
    wrapped = rlp_wrap_item(&made, block, RLT_WORK_QUEUE_SOURCE, RLP_LATER, caller);
    if (wrapped == &made && timer != NULL) {
      made.source = source;
      if (made.name != 0) {
        rlp_update_dispatch_timer(timer);
        timer->name = made.name;
        timer->site = rlp_site(caller);
      }
    }
  }
  real(source, wrapped);
  if (timer != NULL) rlp_update_dispatch_timer(timer);
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
    rlp_dispatch_timer *timer = rlp_find_dispatch_timer(object); \
    if (timer != NULL) { \
      timer->suspensions = (change); \
      rlp_update_dispatch_timer(timer); \
    } \
    real(object); \
  }

enum { RLP_SUSPENSION_dispatch_activate = 0, RLP_SUSPENSION_dispatch_resume = -1, RLP_SUSPENSION_dispatch_suspend = 1 };

SUSPENDS(dispatch_activate, 0)
SUSPENDS(dispatch_resume, timer->suspensions - 1)
SUSPENDS(dispatch_suspend, timer->suspensions + 1)

RLP_EXPORT void dispatch_source_cancel(void *source) {
  RLP_FIND_REAL(dispatch_source_cancel);
  rlp_dispatch_timer *timer = rlp_find_dispatch_timer(source);
  if (timer != NULL) rlp_forget_dispatch_timer(timer);
  real(source);
}
