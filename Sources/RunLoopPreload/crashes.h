// A program that crashes, and the helper that examines it.
#ifndef RLP_CRASHES_H
#define RLP_CRASHES_H

#include "preload.h"

// Whether a program is executed as if nothing were recorded: it examines this program, which crashes, or `file` (NULL =
// not known) is Swift's backtracer.
int rlp_is_crash_helper(const char *file);

#endif
