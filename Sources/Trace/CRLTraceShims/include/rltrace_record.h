// The record and the ring: what a traced thread writes and the drain reads. This file has only the layout.
// `rltrace_emit.h` writes it, and TraceRecorder reads it, possibly in another process.
#ifndef RLTRACE_RECORD_H
#define RLTRACE_RECORD_H

#include <stdint.h>

// One slot of a ring. An event is one slot, followed by ceil(arguments / 2) slots of `rlt_arguments`.
//
//   offset 0   u64 stamp       clock ticks (cycle counter, or CLOCK_MONOTONIC nanoseconds)
//   offset 8   u32 object      generational object id, 0 = none
//   offset 12  u8  kind        code of the event table
//   offset 13  u8  mode        mode id, 0 = none
//   offset 14  u8  arguments   how many 64-bit arguments follow
//   offset 15  u8  reserved    0
typedef struct {
  uint64_t stamp;
  uint32_t object;
  uint8_t kind;
  uint8_t mode;
  uint8_t arguments;
  uint8_t reserved;
} rlt_record;

typedef struct {
  uint64_t first;
  uint64_t second;
} rlt_arguments;

_Static_assert(sizeof(rlt_record) == 16, "an event is one 16-byte store");
_Static_assert(sizeof(rlt_arguments) == 16, "argument slots have the size of a record");

// FREE -> CLAIMED (being set up) -> OWNED by a thread -> ORPHANED (the thread ended) -> FREE, set by the drain.
enum { RLT_RING_FREE = 0, RLT_RING_OWNED = 1, RLT_RING_ORPHANED = 2, RLT_RING_CLAIMED = 3 };

// A ring that overwrites has this many marks of places where a record begins.
enum { RLT_RING_MARKS = 16 };

// A single-producer single-consumer ring. The producer's and the consumer's words are on separate cache lines, so
// that a drain in progress costs the traced thread nothing. The ring holds no addresses: producer and consumer may be
// two processes.
typedef struct {
  // Written by the traced thread.
  uint64_t head;          // slots ever published
  uint64_t limit;         // head may reach this before the slow path must look again
  uint64_t lost_pending;  // events lost since the last one stored, not yet reported in the ring
  uint64_t capacity;      // slots, a power of two
  uint64_t slots_offset;  // offset of slot 0, in bytes from this ring
  uint64_t os_thread;
  uint32_t thread;        // index in the trace's thread table
  uint32_t state;         // RLT_RING_*
  uint64_t mark_count;    // marks ever set, see below
  // In a spool that overwrites: a value of `head` for each sixteenth of the ring, at which a record begins. The
  // newest is marks[(mark_count - 1) % RLT_RING_MARKS].
  uint64_t marks[RLT_RING_MARKS];
  uint32_t runs;          // observed runs in progress on the thread
  uint32_t mode;          // mode of the innermost one
  uint64_t full_disk_lost; // events that were ever lost because a disk had no room
  uint64_t full_disk_pending; // the part of `lost_pending` with that reason
  uint64_t claimed_head;  // `head` when the thread claimed the ring: what is before it belongs to another thread
  uint8_t producer_padding[32];
  // Written by the drain.
  uint64_t tail;          // slots ever consumed
  uint64_t backed;        // first slots that are backed by memory; written by the side that backed them
  uint8_t consumer_padding[112];
} rlt_ring;

_Static_assert(sizeof(rlt_ring) == 384, "the ring's layout is part of the spool format");

// Defines a function that reads a word written by the other side.
#define RLT_READS(type, function, holder, field, order) \
  static inline type function(const holder *shared) { return __atomic_load_n(&shared->field, order); }

#endif
