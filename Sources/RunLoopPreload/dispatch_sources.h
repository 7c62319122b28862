// Dispatch sources whose handlers run on the main queue. Timer sources are recorded as timers with due points.
#ifndef RLP_DISPATCH_SOURCES_H
#define RLP_DISPATCH_SOURCES_H

#include "blocks.h"

// Runs the handler of a timer between a timer's events. Returns 0, without running it, if it is not a timer with a
// known due point.
int rlp_run_dispatch_timer(rlp_block *handler);

#endif
