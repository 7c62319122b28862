// What the recorder knows of each run loop: which sources, observers and timers are in which of its modes. Kept beside the
// events that say the same one by one, so that all of it can be written down at any moment, from any thread.
//
// CoreFoundation is not asked: its description of a loop takes the loop's lock and calls code of the program, and a stalled
// loop's own thread is the one that cannot be asked. So this is what was seen to be added, by CFRunLoop's rules for common
// modes; a loop that may hold more says so.
//
// Thread-safe, behind one lock that is held in this code only.
#ifndef RLTRACE_TOPOLOGY_H
#define RLTRACE_TOPOLOGY_H

#include <stdint.h>

// Item events of one snapshot; what is beyond is counted.
enum { RLT_TOPOLOGY_ITEMS_MAX = 1024 };

// A source, an observer or a timer. What its kind has not is 0.
typedef struct {
  uint8_t kind;              // RLT_ITEM_*
  uint8_t repeats;           // of an observer
  uint32_t name;             // a string id
  int64_t order;
  uint64_t address;
  uint64_t activities;       // of an observer
  uint64_t interval_ns;      // of a timer; 0 = it fires once
  uint64_t tolerance_ns;
  uint64_t due_address;      // where a timer keeps its due point; 0 = not known. Read by the kernel: it may be gone
} rlt_loop_item;

// A recording begins: nothing is known. `is_late`: loops may hold what was added before.
void rlt_topology_begin(int is_late);
// In a child of fork, where nobody is left who would unlock it.
void rlt_topology_renew_lock(void);

// A loop exists, with its default mode. Its thread is known when it runs first: 0 = not yet.
void rlt_topology_loop(uint32_t loop, const void *address, uint8_t default_mode, uint64_t os_thread);
void rlt_topology_loop_ended(uint32_t loop);
void rlt_topology_add_common_mode(uint32_t loop, uint8_t mode);
// Something was added to it that nothing is known of.
void rlt_topology_note_unseen(uint32_t loop);

void rlt_topology_item(uint32_t object, const rlt_loop_item *item);
// It is in no mode any more, and never will be.
void rlt_topology_item_ended(uint32_t object);
// `is_common`: the mode is kCFRunLoopCommonModes.
void rlt_topology_add(uint32_t object, uint32_t loop, uint8_t mode, int is_common);
void rlt_topology_remove(uint32_t object, uint32_t loop, uint8_t mode, int is_common);
// The loop that has a timer or an observer; 0 = none, or not known.
uint32_t rlt_topology_loop_of(uint32_t object);

// Writes down what a loop holds, as events of the calling thread. `mode` is that of its innermost run.
void rlt_topology_picture(uint32_t loop, uint8_t mode, uint64_t reason);
// The same of the loop that a thread runs, from another thread; not when the lock cannot be had soon, and of stalls none
// within a second of an equal one.
void rlt_topology_picture_of_thread(uint64_t os_thread, uint8_t mode, uint64_t reason);

#endif
