// Timer sources whose handlers run on the main queue. They are recorded as timers with due points.
#ifndef RLP_DISPATCH_TIMERS_H
#define RLP_DISPATCH_TIMERS_H

#include "blocks.h"

// A timer source on the main queue. The thread that makes a source also sets it up, so only one thread at a time
// changes these fields. Two threads may make its object, so the object is exchanged atomically.
typedef struct {
  void *source;          // NULL = free
  uint64_t due_ns;       // the next point, on CLOCK_MONOTONIC; 0 = none is set
  uint64_t interval_ns;  // 0 = one shot
  uint64_t leeway_ns;
  uint32_t object, session;
  uint32_t name, site;   // in that session
  int suspensions;       // the timer fires only while this is 0
  uint32_t listed_in;    // the loop that has it as a timer, 0 = none; in `listed_mode`
  uint8_t listed_mode;
} rlp_dispatch_timer;

// Returns the timer of a source; NULL if it has none.
rlp_dispatch_timer *rlp_find_dispatch_timer(const void *source);
// Makes a timer for a source, unless there are too many.
void rlp_add_dispatch_timer(void *source);
// Records that the timer is invalid, and frees it.
void rlp_forget_dispatch_timer(rlp_dispatch_timer *timer);
// Records what is not recorded yet: that the timer exists, and where it is served.
void rlp_update_dispatch_timer(rlp_dispatch_timer *timer);

// Runs the handler of a timer between a timer's events. Returns 0, without running it, if it is not a timer with a
// known due point.
int rlp_run_dispatch_timer(rlp_block *handler);

#endif
