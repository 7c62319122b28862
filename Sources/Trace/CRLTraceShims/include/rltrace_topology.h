// The recorder's picture of each run loop: the sources, observers and timers in each of its modes. It is kept in
// addition to the events that report the same changes one by one, so that the full state can be written at any
// moment, from any thread.
//
// CoreFoundation is not queried. Its description of a loop takes the loop's lock and calls code of the program, and
// the thread of a stalled loop cannot be asked. So this is the state that follows from the observed additions, by
// CFRunLoop's rules for common modes. A loop that may hold more is marked.
//
// Thread-safe, with one lock that is held only in this code.
#ifndef RLTRACE_TOPOLOGY_H
#define RLTRACE_TOPOLOGY_H

#include <stdint.h>

// The maximum number of item events in one snapshot. Further items are counted.
enum { RLT_TOPOLOGY_ITEMS_MAX = 1024 };

// A source, an observer or a timer. Fields that its kind does not have are 0.
typedef struct {
  uint8_t kind;              // RLT_ITEM_*
  uint8_t repeats;           // for an observer
  uint32_t name;             // a string id
  int64_t order;
  uint64_t address;
  uint64_t activities;       // for an observer
  uint64_t interval_ns;      // for a timer; 0 = it fires once
  uint64_t tolerance_ns;
  uint64_t due_address;      // the address of a timer's due point; 0 = not known. Read through the kernel
} rlt_loop_item;

// Begins a recording, with nothing known. `is_late`: loops may hold items that were added before.
void rlt_topology_begin(int is_late);
// Makes a new lock in a child of fork, where no thread is left that would unlock the old one.
void rlt_topology_renew_lock(void);

// Notes that a loop exists, with its default mode. Its thread is known when it first runs: 0 = not yet.
void rlt_topology_loop(uint32_t loop, const void *address, uint8_t default_mode, uint64_t os_thread);
void rlt_topology_loop_ended(uint32_t loop);
void rlt_topology_add_common_mode(uint32_t loop, uint8_t mode);
// Notes that an unknown item was added to the loop.
void rlt_topology_note_unseen(uint32_t loop);

void rlt_topology_item(uint32_t object, const rlt_loop_item *item);
// Notes that the item has left all modes for good.
void rlt_topology_item_ended(uint32_t object);
// `is_common`: the mode is kCFRunLoopCommonModes.
void rlt_topology_add(uint32_t object, uint32_t loop, uint8_t mode, int is_common);
void rlt_topology_remove(uint32_t object, uint32_t loop, uint8_t mode, int is_common);
// Returns the loop that a timer or an observer belongs to; 0 = none, or not known.
uint32_t rlt_topology_loop_of(uint32_t object);

// Writes the contents of a loop as events of the calling thread. `mode` is the mode of its innermost run.
void rlt_topology_snapshot(uint32_t loop, uint8_t mode, uint64_t reason);
// Does the same, from another thread, for the loop that a thread runs. Does nothing if the lock is not soon
// available. For stalls, it also skips a state that was written less than a second ago and has not changed.
void rlt_topology_snapshot_of_thread(uint64_t os_thread, uint8_t mode, uint64_t reason);
// Writes the contents of the loop, or with 0 of each loop, if it has items and never ran. Does nothing if the lock is
// not soon available.
void rlt_topology_snapshot_unrun(uint32_t loop);

#endif
