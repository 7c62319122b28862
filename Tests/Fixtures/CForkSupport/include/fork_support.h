// Forks, which Swift cannot make.
#ifndef FORK_SUPPORT_H
#define FORK_SUPPORT_H

#include <stdint.h>

// Emits an event in a forked child and waits for its end. Returns 0 when the child exited successfully.
int rlt_emit_in_forked_child(uint8_t kind, uint32_t object);

#endif
