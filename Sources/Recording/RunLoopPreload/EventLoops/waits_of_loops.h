// The calls with which event loops wait.
#ifndef RLP_WAITS_OF_LOOPS_H
#define RLP_WAITS_OF_LOOPS_H

// Looks up the program's own functions.
void rlp_find_waits_of_loops(void);

#endif
