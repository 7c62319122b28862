// Times of dispatch.
#ifndef RLP_DISPATCH_TIME_H
#define RLP_DISPATCH_TIME_H

#include "preload.h"

// Converts a dispatch_time_t to CLOCK_MONOTONIC; 0 = now, or not known.
uint64_t rlp_dispatch_time_ns(uint64_t when);
// Dispatch drops work for this time.
#define RLP_NEVER UINT64_MAX

#endif
