// The main queue where no run loop serves it: dispatch_main() ends the main thread, and from then on threads of the
// system run the queue's work, one piece at a time.
//
// The trace has a thread for the queue, its lane. Whoever runs a piece of its work stores the begin and the end of that
// into the lane's ring. Such a drain has a loop that stands for the queue, and a mode that no run has.
#ifndef RLP_QUEUE_LANE_H
#define RLP_QUEUE_LANE_H

#include "recording.h"

// The mode of what the lane does.
#define RLP_LANE_MODE "(no run loop)"

// The loop and the mode of the lane; 0 while there is none.
uint32_t rlp_lane_loop(void);
uint8_t rlp_lane_mode(void);

// Whether the calling thread runs work of the main queue that no loop serves.
int rlp_is_on_lane(void);

// From the begin of a piece of work to its end.
typedef struct {
  int is_of_lane;        // else of a loop's drain
  int is_on_lane;        // the thread stores into the lane's ring
  rlt_thread_state own;  // of the thread, meanwhile
} rlp_turn;

// A piece of work of the main queue begins. Events are the lane's then, where there is one. 0 = it cannot be recorded.
int rlp_take_turn(rlp_turn *turn);
// Events are the thread's own: the work runs. And the lane's again.
void rlp_leave_lane(rlp_turn *turn);
void rlp_enter_lane(rlp_turn *turn);
void rlp_end_turn(rlp_turn *turn);

// A drain lasts until nothing waits. Something is put on a queue that runs it as soon as it can. Returns whether it is
// counted.
int rlp_note_pending(const void *queue);
// It begins now.
void rlp_note_begun(int *is_pending);
// What waits for a queue that the program suspends is not run: `change` of its suspensions.
void rlp_note_suspended(const void *queue, int change);

#endif
