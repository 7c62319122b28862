// Run loops: their objects, and the observers on their modes.
#ifndef RLP_LOOPS_H
#define RLP_LOOPS_H

#include "preload.h"

// NULL when the program has no CoreFoundation.
void *rlp_main_loop(void);
// The object of a loop; 0 = none left.
uint32_t rlp_loop(void *loop);

// Whether the calling thread runs the loop; 0 = it does not.
int rlp_runs_loop(uint32_t loop);
// The object of a loop that this recording knows; 0 for other loops, and when nothing is recorded. Takes no lock.
uint32_t rlp_known_loop(const void *loop);

// An item is added to a mode, and was removed: emits the event. No event has the kind 0.
void rlp_note_added(uint8_t kind, void *loop, void *item, void *mode);
void rlp_note_removed(uint8_t kind, void *loop, void *item, void *mode);

#endif
