// The guard of mapped files: a process survives if a file is truncated, or its disk is full.
#ifndef RLTRACE_SPOOL_GUARD_H
#define RLTRACE_SPOOL_GUARD_H

#include <stddef.h>
#include <stdint.h>

// Guards a mapping of a file that may be truncated, or whose disk may be full. Accesses to the missing parts find
// zeros instead of killing the process. Handles SIGBUS and passes on signals from elsewhere. Holds until the memory
// is given back.
void rlt_guard_mapping(const void *memory, size_t bytes);
void rlt_unguard_mapping(const void *memory);

// Ends the guard of a mapping. If no other mapping is guarded, the earlier SIGBUS handler is restored.
void rlt_end_guard(const void *memory);

// Returns how many pages of a guarded mapping were missing.
uint32_t rlt_guard_faults(const void *memory);

#endif
