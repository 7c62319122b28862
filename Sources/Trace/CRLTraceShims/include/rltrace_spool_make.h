// The beginning of a spool.
#ifndef RLTRACE_SPOOL_MAKE_H
#define RLTRACE_SPOOL_MAKE_H

#include "rltrace_spool.h"

// Makes a spool in an empty file, or in memory of this process (descriptor -1), and maps it. Reads the clocks.
// `is_guarded`: whether the mapping of a file is guarded, see rlt_guard_mapping. Returns NULL and sets errno on failure.
rlt_spool *rlt_spool_make(int descriptor, uint64_t slots_per_ring, uint32_t flags, uint32_t time_unit_ns,
                          uint32_t recorder_pid, uint64_t recording, int is_guarded);

#endif
