// Queries about processes and processors.
#ifndef RLTRACE_PROCESS_H
#define RLTRACE_PROCESS_H

#include <stdint.h>

// Reads the total time that the calling thread was ready to run but had to wait for a processor. Returns 0 if that
// cannot be read.
int rlt_thread_waited_ns(uint64_t *waited_ns);

// Keeps the heap small if the address space is limited: threads share one heap, which reserves no space ahead. Call it
// before other threads start.
void rlt_spare_address_space(void);

// Opens a descriptor that identifies a process even if its id is reused. -1 = the process is gone, -2 = the system
// has no such descriptors.
int rlt_process_open(int32_t process);
// Returns whether the process behind such a descriptor has ended, even if its parent has not waited for it.
int rlt_process_has_ended(int descriptor);

// Finds out how a process that is not a child of this one ended, in the form of wait(2). `descriptor` is as above, or
// negative; `began` as for rlt_process_start, 0 = not known. Returns 0 if the system does not report the status.
int rlt_process_end_status(int descriptor, int32_t process, uint64_t began, int *status);

#endif
