// Programs that a recorded one executes or starts.
#ifndef RLP_EXEC_H
#define RLP_EXEC_H

// Finds the real functions ahead: an exec may be the last act of a crash handler that has little stack.
void rlp_find_exec(void);

#endif
