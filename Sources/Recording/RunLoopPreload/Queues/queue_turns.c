#include "queue_turns.h"

#include "bookkeeping.h"
#include "objects.h"
#include "queues.h"

// Returns whether at least a microsecond is between two stamps. The time since the recording's origin tells how long a
// unit of stamps is.
static int is_long(uint64_t from, uint64_t to) {
  const rlt_clock_reading *origin = &rlt_current_spool()->origin;
  uint64_t now = rlt_stamp(), now_ns = rlt_monotonic_ns();
  if (to <= from || now <= origin->ticks) return 0;
  return (double)(to - from) * (double)(now_ns - origin->monotonic_ns) >= 1000.0 * (double)(now - origin->ticks);
}

static void store(rlp_queue_turn *turn, uint64_t stamp, uint64_t holder) {
  if (!rlp_is_recording_already() || !rlp_enter()) return;
  turn->object = rlp_queue_object_of(turn->queue);
  turn->session = rlp_session();
  if (turn->object != 0) {
    rlt_emit_late(stamp, RLT_KIND_QUEUE_WAIT_BEGIN, rlt_thread.mode, turn->object, &holder, 1);
    turn->is_watched = rlp_begin_watch();
  }
  rlp_leave();
}

void rlp_store_wait(rlp_queue_turn *turn, uint64_t holder) {
  int kept_errno = errno;
  store(turn, rlt_stamp(), holder);
  errno = kept_errno;
}

void rlp_end_wait_for_turn(rlp_queue_turn *turn, uint64_t now) {
  int kept_errno = errno;
  // Which thread held the queue is not known afterwards.
  if (turn->object == 0 && is_long(turn->began, now)) store(turn, turn->began, 0);
  if (rlp_knows(turn->object, turn->session) && rlp_enter()) {
    rlt_emit_late(now, RLT_KIND_QUEUE_WAIT_END, rlt_thread.mode, turn->object, NULL, 0);
    turn->object = 0;
    if (turn->is_watched) rlp_end_watch();
    rlp_leave();
  }
  errno = kept_errno;
}

void rlp_run_turn(void *memory) {
  RLP_KEEP_FRAME();
  rlp_queue_turn *turn = memory;
  rlp_perform function = turn->function;
  void *context = turn->context;
  uint64_t now = rlt_stamp();
  if (turn->waiting != &rlt_thread) __atomic_store_n(&turn->got, now, __ATOMIC_RELEASE);
  else if (turn->object != 0 || now - turn->began >= RLP_SHORT_WAIT) rlp_end_wait_for_turn(turn, now);
  function(context);
}
