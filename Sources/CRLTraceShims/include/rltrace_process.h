// What can be asked of processes and processors.
#ifndef RLTRACE_PROCESS_H
#define RLTRACE_PROCESS_H

#include <stdint.h>

// How long the calling thread has waited for a processor so far, ready to run. Returns 0 when that cannot be read.
int rlt_thread_waited_ns(uint64_t *waited_ns);

// A descriptor by which a process is known, whatever becomes of its id: -1 when it is gone, -2 where there are none.
int rlt_process_open(int32_t process);
// Whether the process behind such a descriptor has ended, waited for or not.
int rlt_process_has_ended(int descriptor);

// How a process that is not a child of this one ended, as wait(2) gives it. `descriptor` as above, or negative; `began`
// as rlt_process_start, 0 = not known. Returns 0 when the system does not give the status.
int rlt_process_end_status(int descriptor, int32_t process, uint64_t began, int *status);

#endif
