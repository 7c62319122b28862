// The spool: one piece of shared memory that holds everything that a recording has not written to its trace yet. It
// is anonymous memory if a program records itself, and a file, NAME.rltrace.spool, if another process drains it. The
// file alone is enough to finish a trace. docs/reference/spool-format.md describes it; a test keeps that page consistent with
// this file.
//
//   header page | rings | names, a log | slots of ring 0 | slots of ring 1 | ...
//
// All numbers are in the machine's byte order, because a spool is read on the machine that wrote it.
#ifndef RLTRACE_SPOOL_H
#define RLTRACE_SPOOL_H

#include <stddef.h>
#include <stdint.h>

#include "rltrace_record.h"

#define RLT_SPOOL_MAGIC "RLTSPOOL"
enum {
  RLT_SPOOL_VERSION = 6,
  RLT_SPOOL_HEADER_BYTES = 4096,
  RLT_SPOOL_RINGS = 8192,
  RLT_SPOOL_LARGE_RINGS = 4,        // the first ones; the upper half of them is only for threads that run loops
  RLT_SPOOL_RINGS_AT_FIRST = 256,   // rings whose headers are backed by memory when the spool is made
  RLT_SPOOL_FIRST_LOOP_RING = 66,   // so are those from here to the small ones …
  RLT_SPOOL_FIRST_SMALL_RING = 256, // … and so is the upper half of the rings
  RLT_SPOOL_THREADS_MAX = 65504,    // threads of the program; the recorder's threads have the indexes from here on
  RLT_SPOOL_STRINGS_MAX = 1 << 18,  // with their texts, fewer bytes than a trace may define
  RLT_SPOOL_CHILDREN_MAX = 512,     // processes that announced themselves and that the recorder has not seen yet
  RLT_SPOOL_NAMES_BYTES = 1 << 24,
  RLT_SPOOL_NO_RING = 0x7FFFFFFF,
  RLT_SPOOL_KILLED_MAX = 32,        // the newest processes that a signal ended
};

// One moment on all clocks. Records hold `ticks`.
typedef struct {
  uint64_t ticks;
  uint64_t monotonic_ns;
  uint64_t boottime_ns;
  uint64_t realtime_ns;
} rlt_clock_reading;

enum {
  RLT_SPOOL_USES_CYCLES = 1 << 0,       // stamps are cycles, otherwise CLOCK_MONOTONIC nanoseconds
  RLT_SPOOL_OVERWRITES = 1 << 1,        // a full ring overwrites its oldest events, because no process drains it
  RLT_SPOOL_MAIN_THREAD_ONLY = 1 << 2,
  RLT_SPOOL_ACTIVITIES_ONLY = 1 << 3,   // capture level `activities`
  RLT_SPOOL_EVENT_LOOPS = 1 << 4,       // event loops are recorded, not run loops alone
  RLT_SPOOL_ALL_QUEUES = 1 << 5,        // all Dispatch queues, tasks and actors are recorded, not the main queue alone
};

// Facts reported by the recorded process and, at the end, by its recorder: bits of `seen`.
enum {
  RLT_SEEN_PROCESS = 1 << 0,     // the recorder's code runs in the process
  RLT_SEEN_FOUNDATION = 1 << 1,  // it has CFRunLoop
  RLT_SEEN_RUN = 1 << 2,         // a run loop ran
  RLT_SEEN_END = 1 << 3,         // it ended normally
  RLT_SEEN_EXACT_DUE = 1 << 4,   // due points are exact; otherwise they come from wall-clock fire dates
  RLT_SEEN_WRITTEN = 1 << 5,     // all events are in files; nothing has to be recovered if only the trace is left
  RLT_SEEN_LOCKED_OUT = 1 << 6,  // it executed a program whose rights or root do not allow it to open a spool
  RLT_SEEN_FAULT = 1 << 7,       // a store failed: nothing is stored from then on, and it is not known what is missing
  RLT_SEEN_QUEUE = 1 << 8,       // it left the main queue to the system's threads: dispatch_main(), an async main
  RLT_SEEN_QUEUE_WORK = 1 << 9,  // these threads ran work of the queue
  RLT_SEEN_WORK = 1 << 10,       // all queues are recorded, and work of a queue, or a task, was queued or ran
  // Any of these: there is something to read.
  RLT_SEEN_CONTENT = RLT_SEEN_RUN | RLT_SEEN_QUEUE_WORK | RLT_SEEN_WORK,
};

// How the recorded process announced its end.
enum {
  RLT_ENDING_UNKNOWN = 0,
  RLT_ENDING_EXIT = 1,  // it exits with a status
  RLT_ENDING_EXEC = 2,  // it continues with another program
};

// A process that was ended by a signal, as noted by its parent.
typedef struct {
  uint64_t boottime_ns;  // when the parent noticed it
  uint32_t process;
  uint32_t signal;
} rlt_killed;

typedef struct {
  // Fixed when the spool is made.
  uint8_t magic[8];
  uint32_t version;
  uint32_t flags;           // RLT_SPOOL_*
  uint64_t bytes;           // size of the whole spool
  uint64_t rings_offset;
  uint64_t names_offset;
  uint64_t names_bytes;
  uint64_t slots_offset;
  uint64_t slots_per_ring;  // slots of a large ring, a power of two
  uint32_t ring_count;
  uint32_t time_unit_ns;    // the requested unit of the trace
  uint32_t recorder_pid;    // the process that drains it, 0 = none at present
  uint32_t reserved;
  uint64_t recorder_start;  // when that process began, see rlt_process_start; 0 = not known
  uint64_t recorder_namespace;  // the namespace of its id; 0 = not known
  uint64_t recording;       // equal in all spools of one recording, different for each recording
  uint8_t boot_id[16];      // the boot that the clocks belong to
  rlt_clock_reading origin;

  // The second of the two readings that define the trace's clock rate; ticks are 0 until the drain has taken it.
  rlt_clock_reading later;

  // Written by the recorded process.
  uint32_t program_pid;     // the process that records into it, 0 = none yet
  uint32_t seen;            // RLT_SEEN_*
  uint32_t threads;         // threads that ever claimed a ring
  uint32_t rings_used;      // number of rings ever handed out; these are the first ones
  uint64_t names_used;      // bytes of the names log that are complete
  uint32_t strings;         // ids given out
  uint32_t names_refused;   // names dropped because the log was full
  uint64_t ringless_lost;   // events of threads without a ring that the shared ring does not take
  uint64_t unwrapped;       // items whose callouts could not be bracketed
  rlt_clock_reading latest; // a recent reading in a spool that overwrites; otherwise the reading at the program's end

  // Written by the drain: 1 = stop recording.
  uint32_t is_stopped;
  // Other processes of the same recording, by process id, until the recorder has seen them. Each has a spool of its
  // own beside this one.
  uint32_t children[RLT_SPOOL_CHILDREN_MAX];
  // The number of processes that belong to the recording but could not be recorded.
  uint32_t left_out;
  // The namespace of `program_pid`; 0 = not known.
  uint64_t pid_namespace;
  uint64_t program_start;   // when that process began
  uint64_t names_backed;    // bytes of the names log that are backed by memory; written by the side that backed them
  uint64_t unbacked_names;  // names dropped because the disk was full

  // Written by the recorder: moments at which it saw the process run. The newest is `seen_alive[seen_alive_count %
  // 2]`, so one reading is complete whenever the recorder is killed. Count 0 = none.
  uint64_t seen_alive_count;
  rlt_clock_reading seen_alive[2];
  // Written by the recorder: how often it requested the contents of the run loops.
  uint32_t topology_requests;
  // Written by the drain: the number of events in files whose slots were given back, and how many of these have been
  // dropped since then, together with the oldest segments.
  uint64_t written_events;
  uint64_t dropped_events;
  // Why the last unrecorded process was not recorded: an errno, EAGAIN = too many started at the same time.
  uint32_t left_out_error;
  // Written by the drain while it gives slots of a ring back, see rlt_spool_give_back: 1 + the ring's number,
  // otherwise 0; the new tail of the ring; the new value of `written_events`. While the drain writes events from no
  // ring, the number is RLT_SPOOL_NO_RING.
  uint32_t giving_ring;
  uint64_t giving_tail;
  uint64_t giving_written;
  // Written by the drain: 1 = the trace's disk has no room, so events that a full ring loses count as lost to the
  // full disk.
  uint32_t is_disk_full;
  // Written by the recorded process: how it ends, and the status for RLT_ENDING_EXIT.
  uint32_t ending;          // RLT_ENDING_*
  uint64_t rings_backed;    // rings whose headers are backed by memory; written by the side that backed them
  uint32_t exit_status;
  // Written by processes of the recording, in the first spool: their children that a signal ended. The newest is
  // `killed[(killed_count - 1) % RLT_SPOOL_KILLED_MAX]`.
  uint32_t killed_count;
  rlt_killed killed[RLT_SPOOL_KILLED_MAX];
} rlt_spool;

_Static_assert(sizeof(rlt_spool) <= RLT_SPOOL_HEADER_BYTES, "the header is one page");

// An entry of the names log. `bytes` is a multiple of 8 and includes this head.
typedef struct {
  uint32_t bytes;
  uint16_t type;           // RLT_NAME_*
  uint16_t flags;
  uint32_t id;
  uint32_t payload_bytes;
} rlt_name_entry;

enum {
  RLT_NAME_STRING = 1,  // id = string id; UTF-8
  RLT_NAME_MODE = 2,    // id = mode id; UTF-8
  RLT_NAME_THREAD = 3,  // id = thread index; flags bit 0 = main; u64 OS thread id, UTF-8 name
  RLT_NAME_CODE = 4,    // id = string id; u64 RLT_WORK_*, plus 256 for each of the program's own addresses; u64 n;
                        // n u64 addresses, the program's own first; the first one that is not a thunk names a
                        // callout. If no address is the program's own, u64 return addresses follow, innermost first:
                        // where the callout was made
  RLT_NAME_SITE = 5,    // id = string id; u64 return addresses, innermost first: where an object was made
  RLT_NAME_IMAGE = 6,   // u64 load bias, u64 first address, u64 end, u64 length of the build id, build id, path
  RLT_NAME_INFO = 7,    // UTF-8 key, 0, UTF-8 value
  RLT_NAME_RUNNER = 8,  // id = mode id; u64 OS thread id, u64 return addresses, innermost first: where the thread
                        // first ran its loop in this mode. With flags bit 0: where a callout ran it, once for each
                        // place; with bit 1: where the thread polls it. Then the first address is inside the call
};

enum { RLT_RUNNER_IS_NESTED = 1, RLT_RUNNER_POLLS = 2 };

// The kind of a callout, used when its code does not show it.
enum {
  RLT_WORK_TIMER = 1,
  RLT_WORK_SOURCE = 2,
  RLT_WORK_LOOP_BLOCK = 3,      // CFRunLoopPerformBlock
  RLT_WORK_QUEUE_BLOCK = 4,     // a block of the main queue
  RLT_WORK_ITEM = 5,            // dispatch_block_create
  RLT_WORK_JOB = 6,             // a job of the main actor
  RLT_WORK_QUEUE_SOURCE = 7,    // the handler of a dispatch source
  RLT_WORK_OBSERVER = 8,
  RLT_WORK_OF_QUEUE = 9,        // a block or function of a queue other than the main one
  RLT_WORK_TASK = 10,           // a task of Swift's concurrency
};

// Returns the size of a spool in bytes; 0 if that is too much.
size_t rlt_spool_bytes(uint64_t slots_per_ring);

// Returns the number of bytes at the start of a spool that are backed by memory when it is made.
uint64_t rlt_spool_first_bytes(void);

// Returns the number of slots of a ring, a power of two: `slots_per_ring` for the large rings, fewer for later ones.
// So thousands of threads can have their own rings in the address space of 70 large rings.
uint64_t rlt_spool_ring_slots(uint64_t slots_per_ring, uint32_t number);

// Returns where a ring's slots begin, in bytes from the start of the spool. For ring RLT_SPOOL_RINGS: where the spool
// ends.
uint64_t rlt_spool_slots_offset(uint64_t slots_per_ring, uint32_t number);

// Formats zero-filled memory as a spool, and reads the clocks. The magic is stored last.
void rlt_spool_format(rlt_spool *spool, uint64_t slots_per_ring, uint32_t flags, uint32_t time_unit_ns,
                      uint32_t recorder_pid, uint64_t recording);

// Makes the calling process the one that records into the spool. Returns 0 if another process does, or did.
int rlt_spool_take(rlt_spool *spool);

// Back the headers of the first rings, the first slots of a ring, or bytes of the names log with memory, so that
// storing there cannot fail. Return 0 if there is no memory because the disk is full. The recorder does this ahead of
// the program; otherwise the program does it itself.
int rlt_spool_back_rings(rlt_spool *spool, uint64_t rings);
int rlt_spool_back_ring(rlt_spool *spool, rlt_ring *ring, uint64_t slots);
int rlt_spool_back_names(rlt_spool *spool, uint64_t bytes);

// Returns whether `memory`, from a file of `bytes` bytes, is a spool of this version with consistent numbers.
int rlt_spool_is_sound(const void *memory, uint64_t bytes);

// Offsets are not read from the header, which reads as zeros if the file was truncated meanwhile.
static inline rlt_ring *rlt_spool_ring(const rlt_spool *spool, uint32_t number) {
  return (rlt_ring *)((char *)spool + RLT_SPOOL_HEADER_BYTES) + number;
}

// Appends an entry made of two parts. If the log is full, counts the entry and returns 0.
int rlt_spool_append(rlt_spool *spool, uint16_t type, uint16_t flags, uint32_t id, const void *first,
                     size_t first_bytes, const void *second, size_t second_bytes);

// Appends an entry of type RLT_NAME_STRING, _CODE or _SITE with a new string id. Returns the id; 0 = none is left or
// the log is full.
uint32_t rlt_spool_append_string(rlt_spool *spool, uint16_t type, const void *bytes, size_t count);

// Reads the facts about the calling process that a spool holds, so that taking a spool needs no system calls. A
// forked child reads them again.
void rlt_know_process(void);

// Returns whether the recorder that is to drain the spool exists, if this process can see it.
int rlt_spool_has_recorder(const rlt_spool *spool);

// Returns whether the spool's clocks are those of the running system.
int rlt_spool_is_of_this_boot(const rlt_spool *spool);

// Stores a recent reading of the clocks in `latest`.
void rlt_spool_note_clocks(rlt_spool *spool);

// Gives back the slots of a ring before `tail`, whose `events` are in files now, and counts these. Called by the
// drain, on one thread.
void rlt_spool_give_back(rlt_spool *spool, uint32_t ring, uint64_t tail, uint64_t events);

// Returns the number of events in files whose slots were given back. The number is exact even if the drain was killed
// between two stores.
uint64_t rlt_spool_written_events(const rlt_spool *spool);

// Count events that come from no ring. The first function is called before they are written. The second is called once
// they are written or have failed to be.
void rlt_spool_begin_writing(rlt_spool *spool, uint64_t events);
void rlt_spool_end_writing(rlt_spool *spool, int is_written);

// Returns the number of such events that may be in files as well, because the drain was killed while it wrote them.
uint64_t rlt_spool_perhaps_written(const rlt_spool *spool);

// Notes that the recorder saw the process run at that moment. Called on one thread.
void rlt_spool_note_alive(rlt_spool *spool, rlt_clock_reading reading);

// Reads the newest such moment. Returns 0 if there is none.
int rlt_spool_newest_alive(const rlt_spool *spool, rlt_clock_reading *reading);

// Reads all clocks at one moment.
rlt_clock_reading rlt_read_clocks(int uses_cycles);

static inline void rlt_spool_note(rlt_spool *spool, uint32_t seen) {
  __atomic_fetch_or(&spool->seen, seen, __ATOMIC_RELAXED);
}
RLT_READS(uint64_t, rlt_spool_names_used, rlt_spool, names_used, __ATOMIC_ACQUIRE)

RLT_READS(uint32_t, rlt_spool_rings_used, rlt_spool, rings_used, __ATOMIC_ACQUIRE)
RLT_READS(uint64_t, rlt_ring_marks, rlt_ring, mark_count, __ATOMIC_ACQUIRE)
// Re-reads the head after slots were read. Slots that are farther behind it than the capacity may have been overwritten
// meanwhile.
static inline uint64_t rlt_ring_head_after_reading(const rlt_ring *ring) {
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  return __atomic_load_n(&ring->head, __ATOMIC_RELAXED);
}
static inline uint64_t rlt_ring_mark(const rlt_ring *ring, uint64_t number) {
  return ring->marks[number % RLT_RING_MARKS];
}
RLT_READS(uint32_t, rlt_spool_seen, rlt_spool, seen, __ATOMIC_RELAXED)
RLT_READS(uint32_t, rlt_spool_left_out, rlt_spool, left_out, __ATOMIC_ACQUIRE)
RLT_READS(uint32_t, rlt_spool_left_out_error, rlt_spool, left_out_error, __ATOMIC_RELAXED)
static inline void rlt_spool_count_left_out(rlt_spool *spool, uint32_t error) {
  __atomic_store_n(&spool->left_out_error, error, __ATOMIC_RELAXED);
  __atomic_fetch_add(&spool->left_out, 1, __ATOMIC_RELEASE);
}
// Returns a process that announced itself and has not been taken yet; 0 = there is none.
uint32_t rlt_spool_take_child(rlt_spool *spool);
// Announces a process with its own spool to the recorder of this spool. Returns 0 if it will not be drained: the
// recording is over, or too many processes started at the same time.
int rlt_spool_announce(rlt_spool *spool, uint32_t process);
RLT_READS(uint64_t, rlt_spool_unbacked_names, rlt_spool, unbacked_names, __ATOMIC_RELAXED)
RLT_READS(uint64_t, rlt_spool_names_backed, rlt_spool, names_backed, __ATOMIC_ACQUIRE)
RLT_READS(uint64_t, rlt_ring_backed, rlt_ring, backed, __ATOMIC_ACQUIRE)
RLT_READS(uint64_t, rlt_ring_full_disk_lost, rlt_ring, full_disk_lost, __ATOMIC_RELAXED)
RLT_READS(uint64_t, rlt_ring_full_disk_pending, rlt_ring, full_disk_pending, __ATOMIC_RELAXED)
RLT_READS(uint32_t, rlt_spool_topology_requests, rlt_spool, topology_requests, __ATOMIC_RELAXED)
static inline void rlt_spool_request_topology(rlt_spool *spool) {
  __atomic_fetch_add(&spool->topology_requests, 1, __ATOMIC_RELAXED);
}
RLT_READS(uint32_t, rlt_spool_is_disk_full, rlt_spool, is_disk_full, __ATOMIC_RELAXED)
static inline void rlt_spool_set_disk_full(rlt_spool *spool, uint32_t is_full) {
  __atomic_store_n(&spool->is_disk_full, is_full, __ATOMIC_RELAXED);
}
static inline void rlt_spool_stop(rlt_spool *spool) {
  // Processes that announce themselves after this see it.
  __atomic_store_n(&spool->is_stopped, 1, __ATOMIC_SEQ_CST);
}
static inline uint64_t rlt_spool_take_ringless_lost(rlt_spool *spool) {
  return __atomic_exchange_n(&spool->ringless_lost, 0, __ATOMIC_RELAXED);
}

#endif
