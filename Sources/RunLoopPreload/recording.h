// Whether this process is recorded, and into which spool.
#ifndef RLP_RECORDING_H
#define RLP_RECORDING_H

#include "preload.h"

enum { RLP_UNWANTED = 0, RLP_NOT_YET = 1, RLP_RECORDING = 2, RLP_OVER = 3 };
extern int rlp_recording_state;

// To be recorded from the first use of a run loop on.
void rlp_want_recording(void);
// Takes what a recording of this process needs, for when it begins. Of the recording's first process.
void rlp_prepare_recording(void);

// The process ends now; it ends with a status; it executes another program now; the execution failed.
void rlp_note_recording_end(void);
void rlp_note_recording_exit(int status);
void rlp_note_recording_exec(void);
void rlp_unnote_recording_end(void);

// Slow path of `rlp_is_recording`: opens the spool at the first use of a run loop.
int rlp_begin_recording(void);

static inline int rlp_is_recording(void) {
  int state = __atomic_load_n(&rlp_recording_state, __ATOMIC_ACQUIRE);
  if (__builtin_expect(state == RLP_RECORDING, 1)) return 1;
  return state == RLP_NOT_YET ? rlp_begin_recording() : 0;
}

// Whether the recording has begun. Does not begin it.
static inline int rlp_is_recording_already(void) {
  return __atomic_load_n(&rlp_recording_state, __ATOMIC_ACQUIRE) == RLP_RECORDING;
}

// Whether callouts are bracketed, or only activities recorded.
static inline int rlp_records_callouts(void) {
  return rlp_is_recording() && (rlt_current_spool()->flags & RLT_SPOOL_ACTIVITIES_ONLY) == 0;
}

// Of objects, strings and modes, there while something is recorded.
extern rlt_ids *rlp_ids;

// Guards the library's own tables. Nothing that may take the loader's lock is called with it held.
void rlp_lock(void);
void rlp_unlock(void);

// Emits with up to 8 arguments in mode 0 or the thread's.
#define RLP_EMIT(kind, mode, object, ...) \
  do { \
    const uint64_t arguments_[] = {__VA_ARGS__}; \
    enum { count_ = sizeof arguments_ / sizeof *arguments_ }; \
    if (count_ <= 2) rlt_emit_pair(kind, mode, object, arguments_[0], arguments_[count_ - 1], count_); \
    else rlt_emit_arguments(kind, mode, object, arguments_, count_); \
  } while (0)

#endif
