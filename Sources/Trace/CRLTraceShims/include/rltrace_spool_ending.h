// The end of a recorded process, as noted by the process itself or by its parent.
#ifndef RLTRACE_SPOOL_ENDING_H
#define RLTRACE_SPOOL_ENDING_H

#include "rltrace_spool.h"

// Note that the program is ending now, and take that note back after an exec that failed.
void rlt_spool_note_end(rlt_spool *spool);
void rlt_spool_unnote_end(rlt_spool *spool);

// Note how the process ends: it exits with a status, or it executes another program.
void rlt_spool_note_exit(rlt_spool *spool, int status);
void rlt_spool_note_exec(rlt_spool *spool);

// Notes that a process of the recording waited for `process`, which was ended by a signal. Async-signal-safe.
void rlt_spool_note_killed(rlt_spool *first, uint32_t process, uint32_t signal);

// Returns the signal that ended `process`, which began at `began` ticks (see rlt_process_start); 0 = no parent noted
// one.
uint32_t rlt_spool_killer(const rlt_spool *first, uint32_t process, uint64_t began);

#endif
