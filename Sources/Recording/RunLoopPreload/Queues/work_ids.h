// Object ids of work. Threads keep them for their next work, so that most need no lock.
#ifndef RLP_WORK_IDS_H
#define RLP_WORK_IDS_H

#include "preload.h"

// Returns a new id; 0 = no id is left. Called inside `rlp_enter`, as is the next one.
uint32_t rlp_work_id_make(void);
// Releases the id of work that is over. The id may serve other work.
void rlp_work_id_release(uint32_t object);

#endif
