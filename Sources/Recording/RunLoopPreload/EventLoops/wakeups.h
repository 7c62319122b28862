// Descriptors that only wake a loop, and those that fire timers: eventfd, pipes, pairs of sockets, timerfd.
#ifndef RLP_WAKEUPS_H
#define RLP_WAKEUPS_H

#include "descriptors.h"
#include "loop_state.h"

// The set of a loop has a descriptor from now on, or no longer. `word`: the program's own word for it.
void rlp_note_in_set(int set, int descriptor, uint64_t word);
void rlp_note_not_in_set(int set, int descriptor);

// Serves the wake-ups and timers among the descriptors that a wait of the calling thread's loop returned. Called inside
// `rlp_enter`.
void rlp_serve_found(rlp_event_loop *own, int ready, const rlp_found *found);

// The loop of an epoll set begins or ends: so do the sources and timers of the set.
void rlp_begin_wakeups(rlp_event_loop *own);
void rlp_end_wakeups(const rlp_event_loop *own);

// The point of a timerfd was set; 0 = it was disarmed. `interval_ns`: 0 = it does not repeat.
void rlp_note_timer_set(int descriptor, uint64_t due_ns, uint64_t interval_ns);

// The calling thread writes to a descriptor: another thread may wait for its other end.
void rlp_signal_reader(int descriptor);

// Ends the source or timer of a descriptor that is closed, and takes it out of its set. Called inside `rlp_enter`, as
// are the first two.
void rlp_note_gone(int descriptor);

#endif
