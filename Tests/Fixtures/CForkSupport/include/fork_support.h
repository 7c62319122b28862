// fork(2) for a test: Swift has no name for it.
#ifndef FORK_SUPPORT_H
#define FORK_SUPPORT_H

#include <stdint.h>

// Emits in a forked child and waits for its end; 0 when the child ended well.
int rlt_emit_in_forked_child(uint8_t kind, uint32_t object);

#endif
