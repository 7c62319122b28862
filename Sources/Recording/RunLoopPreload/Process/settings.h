// The settings from the recorder, passed in variables that the program does not see.
#ifndef RLP_SETTINGS_H
#define RLP_SETTINGS_H

#include "preload.h"

typedef struct {
  int is_wanted;                // the variables were set
  char spool_path[PATH_MAX];    // of the recording's first process
  uint32_t time_unit_ns;
  uint64_t slots_per_ring;
  uint32_t flags;               // RLT_SPOOL_*
  int recorder_pid;             // the process that drains the spool; 0 = none
  uint64_t recording;           // the number of the recording, in each of its spools
  int records_children;
  rlt_sentinel_options stalls;  // beat 0 = no watch for stalls
} rlp_settings_values;

extern rlp_settings_values rlp_settings;

// Reads the settings and gives the program the environment that it would have had. Returns 0 if there are none.
int rlp_read_settings(void);

// Returns whether event loops are recorded, not run loops alone.
static inline int rlp_records_event_loops(void) { return (rlp_settings.flags & RLT_SPOOL_EVENT_LOOPS) != 0; }

// Returns whether all queues, tasks and actors are recorded, not the main queue alone.
static inline int rlp_records_queues(void) { return (rlp_settings.flags & RLT_SPOOL_ALL_QUEUES) != 0; }

// Returns whether this is the process that the recorder started, even if it has executed another program since.
static inline int rlp_is_first_process(void) {
  return rlp_settings.recorder_pid != 0 && getppid() == rlp_settings.recorder_pid;
}

// Returns the header of the recording's first spool; NULL if it cannot be opened. Forked children inherit it.
rlt_spool *rlp_first_header(void);
// Keeps the words that the program was started with, before it can change them.
void rlp_keep_command_line(int count, char *const *words);
// Returns them, separated by zero bytes.
const char *rlp_command_line(size_t *length);
// Reports facts to the recorder about the program that it started. `seen`: RLT_SEEN_*.
void rlp_report_in(uint32_t seen);
// Reports to the recorder that a process of the recording will not be recorded, and why, as an errno.
void rlp_count_left_out(int error);
// Checks, before this process executes another program, whether that program could open the spool, and reports if it
// could not.
void rlp_note_locked_out(void);
// Returns whether a program that this process executes can load this library.
int rlp_may_load_library(void);
// Notes that the process waited for another process, which was ended by a signal. Signal handlers may call it.
void rlp_note_killed(pid_t process, int signal);

// Returns `environment` with our variables restored, or `environment` itself if they are not wanted. Uses neither the
// heap nor much stack: it may run between vfork and exec, or on a crash handler's page of stack.
char *const *rlp_take_environment(char *const *environment, int is_new_process);
// Releases the result of `rlp_take_environment`.
void rlp_give_back_environment(char *const *taken);

#endif
