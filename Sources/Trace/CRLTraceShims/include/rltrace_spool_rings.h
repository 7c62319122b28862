// The assignment of rings to threads.
#ifndef RLTRACE_SPOOL_RINGS_H
#define RLTRACE_SPOOL_RINGS_H

#include "rltrace_spool.h"

// Claims a ring for the calling thread; NULL = all are taken. Some are reserved for threads that run loops.
// `*is_scarce` is set if the drain should soon free the rings of ended threads.
rlt_ring *rlt_spool_claim(rlt_spool *spool, int runs_loop, int *is_scarce);

// Returns the number of rings that a thread without a loop may get.
uint32_t rlt_spool_rings_of_any_thread(void);

// Claims a ring for several threads; NULL = all are taken.
rlt_ring *rlt_spool_claim_shared(rlt_spool *spool);

// Claims a ring for the main queue, which threads of the system serve one after another. Its thread in the trace is
// the main thread, with the system id 0 and this name. NULL = all are taken.
#define RLT_MAIN_QUEUE_NAME "main queue"
rlt_ring *rlt_spool_claim_main_queue(rlt_spool *spool);

// Claims an index for a thread of the recorder; 0xFFFFFFFF = none is left.
uint32_t rlt_spool_claim_thread(rlt_spool *spool);

#endif
