// Where a Dispatch queue keeps its number, its width and its state. Learned from queues that nothing else uses.
#ifndef RLP_QUEUE_LAYOUT_H
#define RLP_QUEUE_LAYOUT_H

#include "preload.h"

// Looks once in a process. Later calls return at once.
void rlp_learn_queue_layout(void);

// Returns a number that no other queue has, not even one that had the same address before; 0 = not known. The queue
// must exist, as for the other functions.
uint64_t rlp_queue_serial(const void *queue);
// Returns the number of threads that may run the queue's work at once; 0 = not known, or no limit. `*is_serial`: 1 =
// one at a time, 0 = not, or not known.
uint32_t rlp_queue_width(const void *queue, int *is_serial);

// Returns whether a thread that wants a turn on a queue may wait: 0 if the queue is known to be free now.
// `is_barrier`: it wants to be the only one.
int rlp_queue_may_be_taken(const void *queue, int is_barrier);
// Returns whether work waits for a queue or runs on it, or the queue is suspended: then a thread that wants a turn
// waits. `*holder`: the thread that runs its work; 0 = none does, several do, or not known.
int rlp_queue_is_taken(const void *queue, int is_barrier, uint64_t *holder);

#endif
