// Memory of the program that may not exist.
#ifndef RLP_MEMORY_H
#define RLP_MEMORY_H

#include "preload.h"

// Reads memory through the kernel. Returns 0 if it cannot be read.
int rlp_read(const void *address, void *bytes, size_t count);

#endif
