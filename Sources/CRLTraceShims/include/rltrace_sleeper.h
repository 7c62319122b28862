// A sleep to a moment of the monotonic clock that another thread can end, and what can be
// asked of processes.
#ifndef RLTRACE_SLEEPER_H
#define RLTRACE_SLEEPER_H

#include <stdint.h>

typedef struct rlt_sleeper rlt_sleeper;

// NULL when there is no memory.
rlt_sleeper *rlt_sleeper_make(void);
void rlt_sleeper_free(rlt_sleeper *sleeper);

// Sleeps until the clock of rlt_monotonic_ns is at `moment_ns`. Returns 1 at once when the sleeper was ended, and from
// then on; else 0.
int rlt_sleeper_sleep(rlt_sleeper *sleeper, uint64_t moment_ns);

// Ends the sleep under way and all later ones.
void rlt_sleeper_end(rlt_sleeper *sleeper);

// The CPU time that a process has used so far, all its threads together; `process` 0 = this one. Returns 0 when it
// cannot be read.
int rlt_process_cpu_ns(int32_t process, uint64_t *cpu_ns);

// How long the calling thread has waited for a processor so far, ready to run. Returns 0 when that cannot be read.
int rlt_thread_waited_ns(uint64_t *waited_ns);

// A descriptor by which a process is known, whatever becomes of its id: -1 when it is gone, -2 where there are none.
int rlt_process_open(int32_t process);
// Whether the process behind such a descriptor has ended, waited for or not.
int rlt_process_has_ended(int descriptor);

#endif
