// A sleep to a moment of the monotonic clock that another thread can end, and the CPU time of processes.
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

#endif
