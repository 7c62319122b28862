// Processes that the program waits for.
#ifndef RLP_WAITS_H
#define RLP_WAITS_H

#include "preload.h"

// Looks up the C library's own functions in advance, because signal handlers may call them.
void rlp_find_waits(void);

#endif
