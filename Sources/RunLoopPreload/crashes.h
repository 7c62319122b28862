// A program that crashes, and the helper that looks at it.
#ifndef RLP_CRASHES_H
#define RLP_CRASHES_H

#include "preload.h"

// Whether a program is to be executed as if nothing were recorded: it looks at this one, which crashes, or `file` (NULL = not
// known) is Swift's backtracer.
int rlp_is_crash_helper(const char *file);

#endif
