// What the system knows of a thread of this process: whether it runs, what it waits for, what it has used.
#ifndef RLTRACE_THREAD_EVIDENCE_H
#define RLTRACE_THREAD_EVIDENCE_H

#include <stdint.h>

// Amounts count from the thread's beginning; all ones = not known.
typedef struct {
  uint64_t state;             // a letter as ps(1) has it: R runs or wants to, S sleeps, D waits for a disk, T is stopped
  uint64_t system_call;       // its number; all ones = in none
  uint64_t arguments[6];      // of the system call
  uint64_t stack_pointer;     // of a thread that does not run; 0 = it runs
  uint64_t program_counter;
  uint64_t cpu_ns;
  uint64_t waited_ns;         // ready to run, and without a processor
  uint64_t voluntary_switches;
  uint64_t involuntary_switches;
  uint64_t minor_faults;
  uint64_t major_faults;      // pages that came from a disk
  uint64_t read_bytes;        // from files and descriptors, whether cached or not
  uint64_t written_bytes;
  uint64_t awaited_thread;    // who holds the lock that it waits for; 0 = not known
  uint64_t descriptor;        // RLT_DESCRIPTOR_*, of the one that it waits for
} rlt_thread_evidence;

// Of a thread of this process, by its id of the operating system. 0 = there is no such thread, or the system does not say.
int rlt_read_thread_evidence(uint64_t thread, rlt_thread_evidence *evidence);

// Whether it still sleeps at the same place.
int rlt_sleeps_as_before(uint64_t thread, const rlt_thread_evidence *evidence);

#endif
