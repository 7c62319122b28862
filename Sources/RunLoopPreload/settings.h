// What the recorder told this process, in variables that the program does not get to see.
#ifndef RLP_SETTINGS_H
#define RLP_SETTINGS_H

#include "preload.h"

typedef struct {
  int is_wanted;                // the variables were set
  char spool_path[PATH_MAX];    // of the recording's first process
  uint32_t time_unit_ns;
  uint64_t slots_per_ring;
  uint32_t flags;               // RLT_SPOOL_*
  int recorder_pid;             // who drains; 0 = nobody
  uint64_t recording;           // its number, in each of its spools
  int records_children;
  rlt_sentinel_options stalls;  // no beat = nobody looks
} rlp_settings_values;

extern rlp_settings_values rlp_settings;

// Whether this is the process that the recorder started, whatever program it executes now.
static inline int rlp_is_first_process(void) {
  return rlp_settings.recorder_pid != 0 && getppid() == rlp_settings.recorder_pid;
}

// The header of the recording's first spool; NULL when it cannot be opened. Forked children inherit it.
rlt_spool *rlp_first_header(void);
// What the program was started with, a zero behind each word.
const char *rlp_command_line(size_t *length);
// A process of the recording will not be recorded: the recorder is to say so, and why, an errno.
void rlp_count_left_out(int error);
// This process executes another program now: says so when that one could not open the spool.
void rlp_note_locked_out(void);
// The process ends now. May be called by signal handlers, and by a vforked child, of which nothing is noted.
void rlp_note_end(void);
// The process waited for another process, which was ended by a signal. May be called by signal handlers.
void rlp_note_killed(pid_t process, int signal);

// `environment` with our variables put back, or `environment` itself where they are not to be. Uses neither the heap
// nor much stack: it may run between vfork and exec, or on a crash handler's page of stack.
char *const *rlp_take_environment(char *const *environment, int is_new_process);
// Ends the use of what `rlp_take_environment` returned.
void rlp_give_back_environment(char *const *taken);

#endif
