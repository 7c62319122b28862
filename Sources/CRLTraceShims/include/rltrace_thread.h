// Facts about the calling thread that each system spells differently.
#ifndef RLTRACE_THREAD_H
#define RLTRACE_THREAD_H

#include <stddef.h>
#include <stdint.h>

uint64_t rlt_os_thread_id(void);
int rlt_is_main_thread(void);
// Writes the thread's name, empty when it has none.
void rlt_copy_thread_name(char *buffer, size_t size);
void rlt_name_thread(const char *name);
// Processors that this process may run on, at least 1.
int rlt_usable_processors(void);

#endif
