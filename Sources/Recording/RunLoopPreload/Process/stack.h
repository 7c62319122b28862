// The stack that the system gave a thread. Programs may also run on stacks that they made themselves, such as those of
// coroutines, which may be small.
#ifndef RLP_STACK_H
#define RLP_STACK_H

#include "preload.h"

typedef struct {
  uintptr_t begin, end;
} rlp_stack;

// Returns the calling thread's stack; zeros = not known. The first call of a thread asks the C library. For the
// program's first thread, that takes much stack, so that thread calls it when the library is loaded.
rlp_stack rlp_own_stack(void);

// Returns whether the caller runs on its thread's stack, with room for all that this library does. This includes the C
// library's functions for text and the loader, which may need 3 KB each.
int rlp_has_room_on_stack(void);

#endif
