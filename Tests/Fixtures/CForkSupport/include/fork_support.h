// Calls that Swift does not import, or cannot make.
#ifndef FORK_SUPPORT_H
#define FORK_SUPPORT_H

#include <stdint.h>

// Emits an event in a forked child and waits for its end. Returns 0 when the child exited successfully.
int rlt_emit_in_forked_child(uint8_t kind, uint32_t object);

// Makes the end of this thread like one on Apple's systems: dyld frees the thread's variables in each round of
// destructors, and code that uses them afterwards finds zeros.
void rlt_forget_variables_at_end(void);

#endif
