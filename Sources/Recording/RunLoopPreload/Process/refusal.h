// Programs that cannot be loaded with this library: their loader or another library would end them, or print an error.
#ifndef RLP_REFUSAL_H
#define RLP_REFUSAL_H

#include "preload.h"

// Returns whether the program of a file is for musl or another kind of processor, or has a shared address sanitizer,
// which must be the first library. `descriptor`: of the file; -1 = it is opened by its name. `is_searched`: the name is
// searched in PATH. Uses neither the heap nor much stack, as it may run between vfork and exec.
int rlp_is_refused(const char *name, int descriptor, int is_searched, char *const *environment);

#endif
