#include "rltrace_observe.h"

#include "rltrace_emit.h"
#include "rltrace_vocabulary.h"

static void enter_mode(uint8_t mode) {
  rlt_join_recording();
  rlt_thread_state *thread = &rlt_thread;
  if (thread->depth < RLT_MODE_DEPTH_MAX) thread->outer_modes[thread->depth] = thread->mode;
  thread->depth += 1;
  thread->mode = mode;
}

static void leave_mode(void) {
  rlt_thread_state *thread = &rlt_thread;
  if (thread->depth == 0) return;
  thread->depth -= 1;
  thread->mode = thread->depth < RLT_MODE_DEPTH_MAX ? thread->outer_modes[thread->depth] : 0;
}

void rlt_observe(void *observer, unsigned long activity, void *context) {
  (void)observer;
  const rlt_observer_info *info = context;
  static const uint8_t low_kind_of_bit[] = RLT_LOW_KIND_OF_ACTIVITY_BIT;
  if (activity == 0 || activity >> sizeof(low_kind_of_bit) != 0) return;
  uint8_t low = low_kind_of_bit[__builtin_ctzl(activity)];
  if (low == 0) return;
  if (low == RLT_KIND_ENTRY_LOW && !info->is_high) {
    enter_mode(info->mode);
    rlt_emit_in_mode(low, info->mode, info->loop);
    if (info->rescan_at_ns != NULL && rlt_coarse_ns() >= *info->rescan_at_ns)
      info->rescan(info->rescan_context);
    return;
  }
  rlt_emit_in_mode((uint8_t)(low + info->is_high), info->mode, info->loop);
  // An Exit whose Entry came before the observers were there leaves nothing.
  if (low == RLT_KIND_EXIT_LOW && info->is_high && rlt_thread.mode == info->mode) leave_mode();
}
