#include "rltrace_observe.h"

#include <limits.h>
#include <stdlib.h>

#include "core_foundation.h"
#include "rltrace_emit.h"
#include "rltrace_timers.h"
#include "rltrace_vocabulary.h"

enum { ALL_ACTIVITIES = 0x0FFFFFFF, BEFORE_SOURCES = 1 << 2 };

// The context of a mode's observers. CoreFoundation holds one reference for each.
struct rlt_observed_mode {
  void *run_loop, *name;
  uint32_t loop;
  uint32_t holds;
  uint8_t mode;
  uint8_t has_high;  // the mode has the observer of the highest order
  uint8_t begun;     // BeforeTimers of the pass also stored BeforeSources; used by the loop's thread only
  uint32_t open;     // activities with a low stamp that lack the high one; used by the loop's thread only
  rlt_mode_search search;
};

static void enter_mode(uint8_t mode) {
  rlt_join_recording();
  rlt_thread_state *thread = &rlt_thread;
  if (thread->depth < RLT_MODE_DEPTH_MAX) thread->outer_modes[thread->depth] = thread->mode;
  thread->depth += 1;
  thread->mode = mode;
  if (thread->ring != NULL) rlt_ring_set_runs(thread->ring, thread->depth, thread->mode);
}

static void leave_mode(void) {
  rlt_thread_state *thread = &rlt_thread;
  if (thread->depth == 0) return;
  thread->depth -= 1;
  thread->mode = thread->depth < RLT_MODE_DEPTH_MAX ? thread->outer_modes[thread->depth] : 0;
  if (thread->ring != NULL) rlt_ring_set_runs(thread->ring, thread->depth, thread->mode);
}

// Returns the low kind of an activity; 0 = it has none.
static inline uint8_t low_kind(unsigned long activity) {
  static const uint8_t low_kind_of_bit[] = RLT_LOW_KIND_OF_ACTIVITY_BIT;
  if (activity == 0 || activity >> sizeof(low_kind_of_bit) != 0) return 0;
  return low_kind_of_bit[__builtin_ctzl(activity)];
}

// An Exit leaves no mode if its Entry was not recorded because the observers were added later.
static inline void end_activity(uint8_t low, const rlt_observed_mode *observed) {
  if (low == RLT_KIND_EXIT_LOW && rlt_thread.mode == observed->mode) leave_mode();
}

static void observe_low(void *observer, unsigned long activity, void *info) {
  (void)observer;
  rlt_observed_mode *observed = info;
  uint8_t low = low_kind(activity);
  if (low == 0) return;
  if (low == RLT_KIND_ENTRY_LOW) enter_mode(observed->mode);
  uint8_t begun = observed->begun;
  observed->begun = 0;
  if (low == RLT_KIND_BEFORE_SOURCES_LOW && begun) return;
  if (__atomic_load_n(&observed->has_high, __ATOMIC_RELAXED)) {
    observed->open += 1;
    rlt_emit_in_mode(low, observed->mode, observed->loop);
  } else if (low == RLT_KIND_BEFORE_TIMERS_LOW) {
    observed->begun = 1;
    // CFRunLoop only calls observers between BeforeTimers and BeforeSources.
    rlt_emit_batch(RLT_BEGIN_OF_PASS, observed->mode, observed->loop);
  } else {
    rlt_emit_batch(RLT_BOTH(low), observed->mode, observed->loop);
    end_activity(low, observed);
  }
  const rlt_mode_search *search = &observed->search;
  if (low == RLT_KIND_ENTRY_LOW && search->look != NULL
      && rlt_coarse_ns() >= __atomic_load_n(search->moment_ns, __ATOMIC_RELAXED))
    search->look(search->owner);
}

static void observe_high(void *observer, unsigned long activity, void *info) {
  (void)observer;
  rlt_observed_mode *observed = info;
  uint8_t low = low_kind(activity);
  // Without an open activity, the other observer has stored both stamps.
  if (low == 0 || observed->open == 0) return;
  observed->open -= 1;
  rlt_emit_in_mode((uint8_t)(low + 1), observed->mode, observed->loop);
  end_activity(low, observed);
}

static const void *hold(const void *observed) {
  __atomic_add_fetch(&((rlt_observed_mode *)observed)->holds, 1, __ATOMIC_RELAXED);
  return observed;
}

static void let_go(const void *info) {
  rlt_observed_mode *observed = (rlt_observed_mode *)info;
  if (__atomic_sub_fetch(&observed->holds, 1, __ATOMIC_ACQ_REL) != 0) return;
  if (observed->search.release != NULL) observed->search.release(observed->search.owner);
  free(observed);
}

void rlt_observed_mode_release(rlt_observed_mode *observed) {
  if (observed != NULL) let_go(observed);
}

// Adds an observer of the lowest or the highest order, and returns it retained.
static void *add_observer(rlt_observed_mode *observed, int is_high, unsigned long activities) {
  rlt_context context = {.info = observed, .retain = hold, .release = let_go};
  void *observer = RLT_CF(CFRunLoopObserverCreate)(
      NULL, activities, 1, is_high ? LONG_MAX : LONG_MIN, is_high ? observe_high : observe_low, &context);
  if (observer != NULL) RLT_CF(CFRunLoopAddObserver)(observed->run_loop, observer, observed->name);
  return observer;
}

// Adds an observer that stays as long as its loop. Returns 0 without memory.
static int add_lasting_observer(rlt_observed_mode *observed, int is_high, unsigned long activities) {
  void *observer = add_observer(observed, is_high, activities);
  if (observer == NULL) return 0;
  RLT_CF(CFRelease)(observer);
  return 1;
}

void rlt_observe_high(rlt_observed_mode *observed) {
  if (observed == NULL || observed->has_high) return;
  // Without an open activity, a second observer of the highest order does nothing.
  if (!add_lasting_observer(observed, 1, ALL_ACTIVITIES) || !add_lasting_observer(observed, 0, BEFORE_SOURCES))
    return;
  __atomic_store_n(&observed->has_high, 1, __ATOMIC_RELAXED);
}

// Returns the context of a mode's observers with one reference, NULL without memory.
static rlt_observed_mode *make_observed(void *run_loop, void *name, uint32_t loop, uint8_t mode) {
  rlt_observed_mode *observed = malloc(sizeof *observed);
  if (observed != NULL)
    *observed = (rlt_observed_mode){.run_loop = run_loop, .name = name, .loop = loop, .holds = 1, .mode = mode};
  return observed;
}

void rlt_observe_mode(void *run_loop, void *name, uint32_t loop, uint8_t mode, const rlt_mode_search *search,
                      void *observers[2]) {
  observers[0] = observers[1] = NULL;
  rlt_observed_mode *observed = make_observed(run_loop, name, loop, mode);
  if (observed == NULL) {
    search->release(search->owner);
    return;
  }
  observed->search = *search;
  // The loop may run meanwhile.
  observed->has_high = 1;
  for (int is_high = 0; is_high < 2; is_high++) observers[is_high] = add_observer(observed, is_high, ALL_ACTIVITIES);
  let_go(observed);
}

rlt_observed_mode *rlt_observe_own_mode(void *run_loop, void *name, uint32_t loop, uint8_t mode) {
  rlt_observed_mode *observed = make_observed(run_loop, name, loop, mode);
  if (observed == NULL) return NULL;
  add_lasting_observer(observed, 0, ALL_ACTIVITIES & ~BEFORE_SOURCES);
#if defined(__APPLE__)
  // Frameworks add observers by calls that cannot be interposed.
  rlt_observe_high(observed);
#endif
  return observed;
}

uint64_t rlt_timeout_ns(double seconds) {
  // Longer times mean "no limit".
  return seconds <= 0 ? 0 : seconds < RLT_LONGEST_SECONDS ? (uint64_t)(seconds * 1e9) : UINT64_MAX;
}
