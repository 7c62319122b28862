// The main queue if no run loop serves it: dispatch_main() ends the main thread, and from then on threads of the
// system run the queue's work, one piece at a time.
//
// The trace has a thread for the queue, its lane. A thread that runs a piece of the queue's work stores the start and
// the end of that work into the lane's ring. Such a drain has a loop that represents the queue, and a mode that no
// run has.
#ifndef RLP_QUEUE_LANE_H
#define RLP_QUEUE_LANE_H

#include "session.h"
#include "symbols.h"

// The mode of all events on the lane.
#define RLP_LANE_MODE "(no run loop)"

// Returns the main queue; NULL = the program has no Dispatch.
static inline const void *rlp_main_queue(void) { return RLP_REAL(const void *, _dispatch_main_q); }

// Return the loop and the mode of the lane; 0 while there is none.
uint32_t rlp_lane_loop(void);
uint8_t rlp_lane_mode(void);

// Returns whether the calling thread runs work of the main queue that no loop serves.
int rlp_is_on_lane(void);

// The drains of the main queue on this thread, by its loop.
typedef struct {
  uint32_t depth;  // nested drains on this thread
  int is_in_item;  // an item of a drain is running: whatever it calls is part of it
} rlp_drain_state;
extern RLT_TLS rlp_drain_state rlp_drain;

// Returns whether a wrapper that was just called is an item of the main queue and is to be recorded.
static inline int rlp_begins_item(void) {
  return !rlp_drain.is_in_item && rlp_recording_state == RLP_RECORDING
         && (rlp_drain.depth > 0 || rlp_is_on_lane());
}

// The state from the start of a piece of work to its end.
typedef struct {
  int is_of_lane;        // the work belongs to the lane; otherwise to a loop's drain
  int is_on_lane;        // the thread stores into the lane's ring
  rlt_thread_state own;  // the state of the thread meanwhile
} rlp_turn;

// Begins a piece of work of the main queue, in a loop's drain or on the lane. Returns 0 if it cannot be recorded.
int rlp_take_turn(rlp_turn *turn);
// Leave the lane while the work runs, so that events go to the thread's own ring, and enter it again afterwards.
void rlp_leave_lane(rlp_turn *turn);
void rlp_enter_lane(rlp_turn *turn);
void rlp_end_turn(rlp_turn *turn);

// Notes that work is put on a queue that runs it as soon as it can. A drain lasts until no such work waits. Returns
// whether the work is counted.
int rlp_note_pending(const void *queue);
// Notes that such work begins now.
void rlp_note_begun(int *is_pending);
// Notes a `change` in the number of a queue's suspensions. Work that waits for a suspended queue is not run.
void rlp_note_suspended(const void *queue, int change);

#endif
