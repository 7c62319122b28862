// Whether this process is recorded, and into which spool.
#ifndef RLP_RECORDING_H
#define RLP_RECORDING_H

#include "session.h"

// Requests that recording begins at the first use of a run loop.
void rlp_want_recording(void);
// Prepares the resources for a recording of this process in advance. For the recording's first process.
void rlp_prepare_recording(void);

// Gives back the rings for which the limit of the address space leaves no room, unless threads use them.
void rlp_fit_recording(void);
// Returns the spool's memory in this process; NULL if there is none.
const void *rlp_spool_memory(size_t *bytes);

// Note that the process ends now, that it ends with a status, that it executes another program now, and that the
// execution failed.
void rlp_note_recording_end(void);
void rlp_note_recording_exit(int status);
void rlp_note_recording_exec(void);
void rlp_unnote_recording_end(void);

// Opens the spool unless that was done before. Returns whether the process is recorded. Does not wait for the loader.
int rlp_begin_recording(void);
// Looks for CoreFoundation, whose image identifies its version. Takes the loader's lock.
void rlp_find_run_loops(void);

// Begins the recording at the first use of a run loop.
static inline int rlp_is_recording(void) {
  int state = __atomic_load_n(&rlp_recording_state, __ATOMIC_ACQUIRE);
  if (__builtin_expect(state == RLP_RECORDING, 1)) return 1;
  if (state != RLP_NOT_YET) return 0;
  rlp_find_run_loops();
  return rlp_begin_recording();
}

static inline int rlp_records_callouts(void) { return rlp_is_recording() && rlp_brackets_callouts(); }

#endif
