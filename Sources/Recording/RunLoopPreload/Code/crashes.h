// Detects that a program crashes, and the helper that examines it.
#ifndef RLP_CRASHES_H
#define RLP_CRASHES_H

#include "preload.h"

// Returns whether a program is to be executed without recording: this program crashes and the other one examines it,
// or `file` (NULL = not known) is Swift's backtracer.
int rlp_is_crash_helper(const char *file);

#endif
