// Processes that the program waits for.
#ifndef RLP_WAITS_H
#define RLP_WAITS_H

#include "preload.h"

// Finds the C library's own functions, which signal handlers may call.
void rlp_find_waits(void);

#endif
