// The end of a thread with variables.
#ifndef THREAD_VARIABLES_H
#define THREAD_VARIABLES_H

// Makes the end of this thread like one on Apple's systems: dyld frees the thread's variables in each round of
// destructors, and code that uses them afterwards finds zeros.
void rlt_forget_variables_at_end(void);

#endif
