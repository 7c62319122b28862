// The recording of this process, for code that uses it and does not begin it.
#ifndef RLP_SESSION_H
#define RLP_SESSION_H

#include "preload.h"

enum { RLP_UNWANTED = 0, RLP_NOT_YET = 1, RLP_RECORDING = 2, RLP_OVER = 3 };
extern int rlp_recording_state;

// The number of the recording in this process; 0 = the recording belongs to the process that forked this one.
extern uint32_t rlp_session_number;
// Keeps the number of this process. It is a new one after a fork.
void rlp_know_process(void);
// Returns whether the caller is this process. A child of vfork runs in its parent's memory. A program that filters its
// system calls is not asked, because it may be killed for it.
int rlp_is_own_process(void);
static inline uint32_t rlp_session(void) { return rlp_session_number; }

// The ids of objects, strings and modes. Not NULL while something is recorded.
extern rlt_ids *rlp_ids;

// Returns whether the recording has begun. Does not begin it.
static inline int rlp_is_recording_already(void) {
  return __atomic_load_n(&rlp_recording_state, __ATOMIC_ACQUIRE) == RLP_RECORDING;
}

// Returns whether callouts of the current recording are bracketed. Otherwise only activities are recorded.
static inline int rlp_brackets_callouts(void) { return (rlt_current_spool()->flags & RLT_SPOOL_ACTIVITIES_ONLY) == 0; }

// Lock and unlock the library's own tables. While they are locked, nothing may be called that takes the loader's
// lock.
void rlp_lock(void);
void rlp_unlock(void);
// Reinitializes the lock in a child of fork: a thread of the parent may have held it.
void rlp_renew_lock(void);

// Emits an event with up to 8 arguments in mode 0 or the thread's mode.
#define RLP_EMIT(kind, mode, object, ...) \
  do { \
    const uint64_t arguments_[] = {__VA_ARGS__}; \
    enum { count_ = sizeof arguments_ / sizeof *arguments_ }; \
    if (count_ <= 2) rlt_emit_inline(kind, mode, object, arguments_, count_); \
    else rlt_emit_arguments(kind, mode, object, arguments_, count_); \
  } while (0)

#endif
