#include "rltrace_observe.h"

#include <limits.h>
#include <stdlib.h>

#include "core_foundation.h"
#include "rltrace_emit.h"
#include "rltrace_timers.h"
#include "rltrace_vocabulary.h"

// The context of a mode's observers. CoreFoundation holds one reference for each.
typedef struct {
  uint32_t loop;
  uint32_t holds;
  uint8_t mode;
  rlt_mode_search search;
} observed_mode;

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

// Emits the activity, and updates the thread's current mode.
static inline __attribute__((always_inline)) void observe(
    int is_high, unsigned long activity, const observed_mode *observed) {
  static const uint8_t low_kind_of_bit[] = RLT_LOW_KIND_OF_ACTIVITY_BIT;
  if (activity == 0 || activity >> sizeof(low_kind_of_bit) != 0) return;
  uint8_t low = low_kind_of_bit[__builtin_ctzl(activity)];
  if (low == 0) return;
  if (low == RLT_KIND_ENTRY_LOW && !is_high) {
    enter_mode(observed->mode);
    rlt_emit_in_mode(low, observed->mode, observed->loop);
    const rlt_mode_search *search = &observed->search;
    if (search->look != NULL && rlt_coarse_ns() >= __atomic_load_n(search->moment_ns, __ATOMIC_RELAXED))
      search->look(search->owner);
    return;
  }
  rlt_emit_in_mode((uint8_t)(low + is_high), observed->mode, observed->loop);
  // An Exit leaves no mode if its Entry was not recorded because the observers were added later.
  if (low == RLT_KIND_EXIT_LOW && is_high && rlt_thread.mode == observed->mode) leave_mode();
}

static void observe_low(void *observer, unsigned long activity, void *observed) {
  (void)observer;
  observe(0, activity, observed);
}

static void observe_high(void *observer, unsigned long activity, void *observed) {
  (void)observer;
  observe(1, activity, observed);
}

static const void *hold(const void *observed) {
  __atomic_add_fetch(&((observed_mode *)observed)->holds, 1, __ATOMIC_RELAXED);
  return observed;
}

static void let_go(const void *info) {
  observed_mode *observed = (observed_mode *)info;
  if (__atomic_sub_fetch(&observed->holds, 1, __ATOMIC_ACQ_REL) != 0) return;
  if (observed->search.release != NULL) observed->search.release(observed->search.owner);
  free(observed);
}

void rlt_observe_mode(void *run_loop, void *name, uint32_t loop, uint8_t mode, const rlt_mode_search *search,
                      void *observers[2]) {
  enum { ALL_ACTIVITIES = 0x0FFFFFFF };
  if (observers != NULL) observers[0] = observers[1] = NULL;
  observed_mode *observed = malloc(sizeof *observed);
  if (observed == NULL) {
    if (search != NULL) search->release(search->owner);
    return;
  }
  *observed = (observed_mode){.loop = loop, .holds = 1, .mode = mode};
  if (search != NULL) observed->search = *search;
  rlt_context context = {.info = observed, .retain = hold, .release = let_go};
  for (int is_high = 0; is_high < 2; is_high++) {
    void *observer = RLT_CF(CFRunLoopObserverCreate)(
        NULL, ALL_ACTIVITIES, 1, is_high ? LONG_MAX : LONG_MIN, is_high ? observe_high : observe_low, &context);
    if (observer == NULL) continue;
    RLT_CF(CFRunLoopAddObserver)(run_loop, observer, name);
    if (observers != NULL) observers[is_high] = observer;
    else RLT_CF(CFRelease)(observer);
  }
  let_go(observed);
}

uint64_t rlt_timeout_ns(double seconds) {
  // Longer times mean "no limit".
  return seconds <= 0 ? 0 : seconds < RLT_LONGEST_SECONDS ? (uint64_t)(seconds * 1e9) : UINT64_MAX;
}
