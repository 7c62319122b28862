#include "queue_lane.h"

#include "names.h"
#include "objects.h"
#include "recording.h"
#include "rltrace_spool_rings.h"

RLT_TLS rlp_drain_state rlp_drain;

// Written by the thread that has the turn, except for the counts and `is_served`.
static struct {
  int is_served;    // dispatch_main() was called in this process while it is recorded
  int is_taken;     // a thread has the turn
  int has_run;      // something ran on the lane
  int is_draining;  // the begin event of a drain is stored, its end event is not
  int pending;
  int suspensions;
  uint32_t session;  // the recording that has the lane
  uint32_t loop;
  uint8_t mode;
  rlt_thread_state thread;
} lane;

uint32_t rlp_lane_loop(void) {
  return __atomic_load_n(&lane.is_served, __ATOMIC_ACQUIRE) && lane.session == rlt_recording_session() ? lane.loop : 0;
}

uint8_t rlp_lane_mode(void) { return lane.mode; }

// The main queue has this value, and so do queues that target it. No other queue has it, even if it runs one of our
// wrappers.
static const char of_main_queue;

int rlp_is_on_lane(void) {
  if (rlp_lane_loop() == 0) return 0;
  __auto_type get = RLP_REAL(void *(*)(const void *), dispatch_get_specific);
  return get != NULL && get(&of_main_queue) != NULL;
}

int rlp_note_pending(const void *queue) {
  if (queue != rlp_main_queue()) return 0;
  __atomic_fetch_add(&lane.pending, 1, __ATOMIC_RELAXED);
  return 1;
}

void rlp_note_begun(int *is_pending) {
  *is_pending = 0;
  __atomic_fetch_sub(&lane.pending, 1, __ATOMIC_RELAXED);
}

void rlp_note_suspended(const void *queue, int change) {
  if (change != 0 && queue != NULL && queue == rlp_main_queue())
    __atomic_fetch_add(&lane.suspensions, change, __ATOMIC_RELAXED);
}

static uint64_t own_id(void) {
  static RLT_TLS uint64_t id;
  if (id == 0) id = rlt_os_thread_id();
  return id;
}

void rlp_enter_lane(rlp_turn *turn) {
  if (!turn->is_of_lane) return;
  turn->own = rlt_thread;
  rlt_thread = lane.thread;
  turn->is_on_lane = 1;
}

void rlp_leave_lane(rlp_turn *turn) {
  if (!turn->is_on_lane) return;
  lane.thread = rlt_thread;
  rlt_thread = turn->own;
  turn->is_on_lane = 0;
}

// Creates the lane, before anything runs on it.
static int make_lane(uint32_t session) {
  rlt_ring *ring = rlt_spool_claim_main_queue(rlt_current_spool());
  uint32_t loop = ring == NULL ? 0 : rlp_object_make();
  if (loop == 0) return 0;
  lane.session = session;
  lane.loop = loop;
  lane.mode = rlt_mode_id(rlp_ids, RLP_LANE_MODE);
  lane.thread = (rlt_thread_state){.ring = ring, .session = session, .mode = lane.mode, .runs_loop = 1};
  rlp_turn turn = {.is_of_lane = 1};
  rlp_enter_lane(&turn);
  RLP_EMIT(RLT_KIND_LOOP_CREATE, lane.mode, loop, rlp_string(RLT_MAIN_QUEUE_NAME));
  rlp_leave_lane(&turn);
  __atomic_store_n(&rlt_current.queue_ring, ring, __ATOMIC_RELEASE);
  return 1;
}

int rlp_take_turn(rlp_turn *turn) {
  turn->is_on_lane = 0;
  turn->is_of_lane = rlp_lane_loop() != 0;
  if (!turn->is_of_lane) return 1;
  // The queue runs one piece of work at a time, so anything that runs at the same time is not the queue's work.
  if (__atomic_exchange_n(&lane.is_taken, 1, __ATOMIC_ACQUIRE)) return 0;
  rlp_enter_lane(turn);
  rlt_ring_set_os_thread(rlt_thread.ring, own_id());
  if (!lane.has_run) rlt_spool_note(rlt_current_spool(), RLT_SEEN_QUEUE_WORK);
  lane.has_run = 1;
  if (!lane.is_draining) rlt_emit(RLT_KIND_MAIN_QUEUE_DRAIN_BEGIN, lane.loop);
  lane.is_draining = 1;
  rlt_ring_set_runs(rlt_thread.ring, 1, lane.mode);
  return 1;
}

void rlp_end_turn(rlp_turn *turn) {
  if (!turn->is_of_lane) return;
  // A child that the work forked has no lane, and is not on it.
  if (turn->is_on_lane) {
    lane.is_draining = __atomic_load_n(&lane.pending, __ATOMIC_RELAXED) > 0
                       && __atomic_load_n(&lane.suspensions, __ATOMIC_RELAXED) <= 0;
    if (!lane.is_draining) rlt_emit(RLT_KIND_MAIN_QUEUE_DRAIN_BEGIN + 1, lane.loop);
    rlt_ring_set_runs(rlt_thread.ring, 0, 0);
    rlp_leave_lane(turn);
  }
  __atomic_store_n(&lane.is_taken, 0, __ATOMIC_RELEASE);
}

static void serve_without_loop(void) {
  __auto_type set =
      RLP_REAL(void (*)(const void *, const void *, void *, void (*)(void *)), dispatch_queue_set_specific);
  if (set == NULL || rlp_main_queue() == NULL || !rlt_is_main_thread()) return;
  if (!rlp_records_callouts() || !make_lane(rlt_recording_session())) return;
  rlt_spool_note(rlt_current_spool(), RLT_SEEN_QUEUE);
  set(rlp_main_queue(), &of_main_queue, (void *)&of_main_queue, NULL);
  __atomic_store_n(&lane.is_served, 1, __ATOMIC_RELEASE);
}

// The main thread ends here, or waits indefinitely.
RLP_EXPORT void dispatch_main(void) {
  RLP_FIND_REAL(dispatch_main);
  serve_without_loop();
  real();
}
