// Whether this process is recorded, and into which spool.
#ifndef RLP_RECORDING_H
#define RLP_RECORDING_H

#include "preload.h"

enum { RLP_UNWANTED = 0, RLP_NOT_YET = 1, RLP_RECORDING = 2, RLP_OVER = 3 };
extern int rlp_recording_state;

// Requests that recording begins at the first use of a run loop.
void rlp_want_recording(void);
// Prepares the resources for a recording of this process in advance. For the recording's first process.
void rlp_prepare_recording(void);

// Note that the process ends now, that it ends with a status, that it executes another program now, and that the
// execution failed.
void rlp_note_recording_end(void);
void rlp_note_recording_exit(int status);
void rlp_note_recording_exec(void);
void rlp_unnote_recording_end(void);

// The slow path of `rlp_is_recording`: opens the spool at the first use of a run loop.
int rlp_begin_recording(void);

static inline int rlp_is_recording(void) {
  int state = __atomic_load_n(&rlp_recording_state, __ATOMIC_ACQUIRE);
  if (__builtin_expect(state == RLP_RECORDING, 1)) return 1;
  return state == RLP_NOT_YET ? rlp_begin_recording() : 0;
}

// Returns whether the recording has begun. Does not begin it.
static inline int rlp_is_recording_already(void) {
  return __atomic_load_n(&rlp_recording_state, __ATOMIC_ACQUIRE) == RLP_RECORDING;
}

// Returns whether callouts are bracketed. Otherwise only activities are recorded.
static inline int rlp_records_callouts(void) {
  return rlp_is_recording() && (rlt_current_spool()->flags & RLT_SPOOL_ACTIVITIES_ONLY) == 0;
}

// The ids of objects, strings and modes. Not NULL while something is recorded.
extern rlt_ids *rlp_ids;

// Lock and unlock the library's own tables. While they are locked, nothing may be called that takes the loader's
// lock.
void rlp_lock(void);
void rlp_unlock(void);

// Emits an event with up to 8 arguments in mode 0 or the thread's mode.
#define RLP_EMIT(kind, mode, object, ...) \
  do { \
    const uint64_t arguments_[] = {__VA_ARGS__}; \
    enum { count_ = sizeof arguments_ / sizeof *arguments_ }; \
    if (count_ <= 2) rlt_emit_pair(kind, mode, object, arguments_[0], arguments_[count_ - 1], count_); \
    else rlt_emit_arguments(kind, mode, object, arguments_, count_); \
  } while (0)

#endif
