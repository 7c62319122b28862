// The tasks of Swift's concurrency that were seen and are not over, by their addresses.
#ifndef RLP_TASK_TABLE_H
#define RLP_TASK_TABLE_H

#include "preload.h"

typedef struct {
  uintptr_t task;       // its address; others: see task_table.c
  uint32_t number;      // tells tasks apart that had the address one after the other
  uint32_t object;      // stored last; 0 = the entry is being filled
  uint32_t session;     // the recording that knows the object
  uint32_t is_created;  // its creation is recorded
  uint32_t is_elsewhere;  // it ran, or was queued, elsewhere than on the main queue
  uint32_t queue;       // where it was queued last; 0 = not known
  uint32_t slices;      // threads that run it, or have not recorded yet that it left them
  uint32_t name, parent, site;
} rlp_task;

// Facts that are known when a task is added. `object`: 0 = it is made then. It is set to 0 when an entry takes it.
typedef struct {
  uint32_t object, name, parent, site;
} rlp_task_facts;

// Returns the entry of a task; NULL = it has none. The task must exist.
rlp_task *rlp_find_task(const void *task);
// Returns the entry of a task that may be new. NULL = there are too many. Called inside `rlp_enter`.
rlp_task *rlp_add_task(const void *task, rlp_task_facts *facts);
// Counts a slice of the task that begins or ends. `object`: of the task; another one may have its entry by now.
void rlp_begin_task_slice(rlp_task *entry);
void rlp_end_task_slice(rlp_task *entry, uint32_t object);
// Frees the entry of a task that is over, unless another task, at its address, has it by now.
void rlp_forget_task(rlp_task *entry, uint32_t object);

#endif
