// Memory of work that waits in a queue. Mostly, one thread queues work and another one runs it. So a thread that has
// too much hands many pieces over at a time, without a lock.
#ifndef RLP_WORK_MEMORY_H
#define RLP_WORK_MEMORY_H

#include "preload.h"

// The size of a piece of memory.
enum { RLP_WORK_BYTES = 32 };

// Returns a piece of memory; NULL = there is none. Called inside `rlp_enter`, as is the next one.
void *rlp_take_work_memory(void);
// Releases it. It is from malloc: where `rlp_enter` fails, free it.
void rlp_release_work_memory(void *memory);

#endif
