// Programs that a recorded program executes or starts.
#ifndef RLP_EXEC_H
#define RLP_EXEC_H

// Looks up the real functions in advance, because an exec may be the last act of a crash handler that has little
// stack.
void rlp_find_exec(void);

#endif
