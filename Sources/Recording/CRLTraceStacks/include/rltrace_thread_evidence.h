// The system's information about a thread of this process: whether it runs, what it waits for, what it has used.
#ifndef RLTRACE_THREAD_EVIDENCE_H
#define RLTRACE_THREAD_EVIDENCE_H

#include <stdint.h>

// Amounts count from the start of the thread; all ones = not known.
typedef struct {
  uint64_t state;             // a letter as in ps(1): R running or ready, S sleeping, D waiting for a disk, T stopped
  uint64_t system_call;       // its number; all ones = none
  uint64_t arguments[6];      // of the system call
  uint64_t stack_pointer;     // for a thread that does not run; 0 = it runs; all ones = the system hides its place
  uint64_t program_counter;
  uint64_t cpu_ns;
  uint64_t waited_ns;         // ready to run, without a processor
  uint64_t voluntary_switches;
  uint64_t involuntary_switches;
  uint64_t minor_faults;
  uint64_t major_faults;      // pages that were read from a disk
  uint64_t read_bytes;        // from files and other descriptors, cached or not
  uint64_t written_bytes;
  uint64_t awaited_thread;    // the holder of the lock that it waits for; 0 = not known
  uint64_t descriptor;        // RLT_DESCRIPTOR_* of the descriptor that it waits for
  uint64_t blocked_signals;   // bit N - 1 for signal N
} rlt_thread_evidence;

// Reads the evidence of a thread of this process, by its operating system id. Returns 0 if there is no such thread or
// the system does not provide it.
int rlt_read_thread_evidence(uint64_t thread, rlt_thread_evidence *evidence);

// The part of the evidence that counts time, which takes a few microseconds to read. A wait for a processor is booked
// when it ends, so a reading lacks the one that is under way.
typedef struct {
  uint64_t cpu_ns;
  uint64_t waited_ns;  // ready to run, without a processor
  uint64_t read_ns;    // when it was read, on the monotonic clock; 0 = never
} rlt_thread_account;

// Reads the account of a thread of this process. Returns 0, and changes nothing, if there is no such thread or the
// system does not provide both times.
int rlt_read_thread_account(uint64_t thread, rlt_thread_account *account);

// Sets the byte offset, within a dispatch queue, of the word with the id of the thread that runs the queue's blocks. 0,
// the initial value, means not known; then no wait has an owner.
void rlt_set_queue_owner_offset(uint32_t offset);
extern uint32_t rlt_owner_offset;
static inline uint32_t rlt_queue_owner_offset(void) { return __atomic_load_n(&rlt_owner_offset, __ATOMIC_ACQUIRE); }

// The bits of that word that hold the id.
#define RLT_QUEUE_OWNER_MASK UINT32_C(0x3fffffff)

// Returns whether the thread runs or is ready to, and has not slept since its evidence was read.
int rlt_runs_as_before(uint64_t thread, const rlt_thread_evidence *evidence);

// Returns whether the thread still sleeps at the same place.
int rlt_sleeps_as_before(uint64_t thread, const rlt_thread_evidence *evidence);

#endif
