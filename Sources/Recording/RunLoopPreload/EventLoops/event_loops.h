// The event loop of a thread, which waits for the same set of file descriptors again and again, without a CFRunLoop.
#ifndef RLP_EVENT_LOOPS_H
#define RLP_EVENT_LOOPS_H

#include "loop_state.h"

// The calling thread is about to wait. `timeout_ns`: UINT64_MAX = no limit. Returns whether its loop waits; if so,
// `rlp_end_wait` comes next, with the result of the system call and what it returned: that is served.
int rlp_begin_wait(rlp_wait_set set, uint64_t timeout_ns, uintptr_t caller);
void rlp_end_wait(int ready, const rlp_found *found);

// The calling thread has waited, but that shows only now, because the system had to check the list first.
void rlp_count_wait(rlp_wait_set set, uint64_t timeout_ns, uintptr_t caller);

// Called inside `rlp_enter`: the calling thread closes a descriptor, which may be the set of its loop; and the set or
// all descriptors of its list may be closed by now. Then the loop ends.
void rlp_note_set_closed(int descriptor);
void rlp_leave_lost_loop(void);

// The calling thread ends the process. It may have left its loop before.
void rlp_end_loops_with_process(void);

#endif
