// Runs that Foundation's RunLoop does not begin, because their mode is empty.
#ifndef RLP_EMPTY_RUNS_H
#define RLP_EMPTY_RUNS_H

#include "code.h"

// Returns whether a call of _CFRunLoopFinished with this result comes from a run function that now returns at once,
// without having run the loop. `*timeout_ns`: the time limit of the run, all ones = no limit, 0 = not known.
int rlp_returns_early(rlp_caller caller, int is_finished, uint64_t *timeout_ns);

#endif
