// Dispatch sources whose handlers run on the main queue. Timers among them are timers, with due points.
#ifndef RLP_DISPATCH_SOURCES_H
#define RLP_DISPATCH_SOURCES_H

#include "blocks.h"

// Runs the handler of a timer between a timer's events; 0 = it is none whose due point is known, and did not run.
int rlp_run_dispatch_timer(rlp_block *handler);

#endif
