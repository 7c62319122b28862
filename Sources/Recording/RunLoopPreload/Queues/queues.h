// The objects of Dispatch queues, pools, actors and executors, by their addresses.
#ifndef RLP_QUEUES_H
#define RLP_QUEUES_H

#include "preload.h"

// The label of the queues on which Swift's global executor runs tasks, one for each priority.
#define RLP_POOL_LABEL "Swift global concurrent queue"

// Return the object of a queue or an actor, which must exist; 0 = there are too many. Called inside `rlp_enter`.
// `is_executor`: it is an executor of the program, which runs actors.
uint32_t rlp_queue_object_of(const void *queue);
uint32_t rlp_actor_object_of(const void *actor, int is_executor);

#endif
