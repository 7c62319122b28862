// Run loops: their objects, and the observers on their modes.
#ifndef RLP_LOOPS_H
#define RLP_LOOPS_H

#include "preload.h"

// Returns NULL if the program has no CoreFoundation.
void *rlp_main_loop(void);
// Returns the object of a loop; 0 = none left.
uint32_t rlp_loop(void *loop);

// Returns whether the calling thread runs the loop.
int rlp_runs_loop(uint32_t loop);
// Returns the object of a loop that this recording knows; 0 for other loops, and if nothing is recorded. Takes no
// lock.
uint32_t rlp_known_loop(const void *loop);

// Emit the event that an item was added to a mode, or removed from it. With the kind 0, they emit no event.
void rlp_note_added(uint8_t kind, void *loop, void *item, void *mode);
void rlp_note_removed(uint8_t kind, void *loop, void *item, void *mode);

// Notes that the program is about to add an observer to a loop. From then on, the time that such observers take is
// measured.
void rlp_note_other_observer(void *loop);

#endif
