// Facts about the calling thread that each system provides through a different interface.
#ifndef RLTRACE_THREAD_H
#define RLTRACE_THREAD_H

#include <stddef.h>
#include <stdint.h>

uint64_t rlt_os_thread_id(void);
int rlt_is_main_thread(void);
// Writes the thread's name; empty if it has none.
void rlt_copy_thread_name(char *buffer, size_t size);
void rlt_name_thread(const char *name);
// Returns the number of processors that this process may run on, at least 1.
int rlt_usable_processors(void);

// Returns the processor that the calling thread runs on; -1 = not known.
int rlt_current_processor(void);

// Moves the calling thread to another processor if it runs on this one and may run on others. The system may move it
// back at any time.
void rlt_leave_processor(int processor);

#endif
