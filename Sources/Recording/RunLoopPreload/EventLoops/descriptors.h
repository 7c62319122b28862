// The file descriptors that event loops of the program use.
#ifndef RLP_DESCRIPTORS_H
#define RLP_DESCRIPTORS_H

#include "session.h"

enum {
  RLP_UNKNOWN_DESCRIPTOR = 0,
  RLP_PLAIN,     // serves its own source
  RLP_EVENT,     // eventfd
  RLP_PIPE,      // an end of a pipe or of a pair of sockets
  RLP_TIMER,     // timerfd
  RLP_EPOLL,     // an epoll set that a thread waited for
};

// Fields are written by the thread that calls the system about the descriptor, or by the thread of its loop.
typedef struct {
  uint8_t kind;
  uint8_t is_signalled;  // pipe: this process wrote to its other end
  uint8_t is_of_day;     // timer: its clock is the time of day
  uint8_t has_timer;     // timer: it is in the loop's mode
  uint8_t is_unwatched;  // its set has too many wake-ups and timers
  uint32_t session;      // the recording that knows `object`
  uint32_t object;       // its source or timer; for an epoll set, its loop
  uint32_t loop;         // of the source; 0 = none
  int32_t reader;        // the descriptor that a write here makes readable; -1 = none
  int32_t other;         // pipe: its other end; -1 = it was closed
  int32_t listener;      // the descriptor that accepted the connection; -1 = not known
  int32_t set;           // the epoll set that has it, or the set's own number for a list; -1 = none
  int32_t next;          // the next wake-up or timer of the same set; for a set, the first one; -1 = none
  uint64_t word;         // the word that the program gave epoll_ctl for it
  uint64_t due_ns;       // timer: its point; 0 = none
  uint64_t interval_ns;  // timer; 0 = it does not repeat
  const void *owner;     // an epoll set: the thread that waits for it
} rlp_descriptor;

enum { RLP_DESCRIPTORS_MAX = 1 << 16 };
// The entries by descriptor; NULL = none was made.
extern rlp_descriptor *rlp_descriptors;

// Returns the entry of a descriptor; NULL = there is none.
static inline rlp_descriptor *rlp_descriptor_of(int descriptor) {
  rlp_descriptor *all = __atomic_load_n(&rlp_descriptors, __ATOMIC_ACQUIRE);
  return all == NULL || (unsigned)descriptor >= RLP_DESCRIPTORS_MAX ? NULL : &all[descriptor];
}
// Returns the entry of a descriptor. Makes it if this process is or will be recorded, and the number is not too great.
rlp_descriptor *rlp_make_descriptor(int descriptor);
// Describes a new descriptor. Returns its entry; NULL if it has none.
rlp_descriptor *rlp_note_descriptor(int descriptor, uint8_t kind, int reader);
// Returns the greatest number that has an entry; -1 = none has.
int rlp_highest_descriptor(void);
// Returns whether a set or list has a descriptor that was not closed. `set`: see rlp_set_number.
int rlp_has_members(int set);
// Returns how many descriptors of lists were closed so far.
uint32_t rlp_lists_closed(void);
// Forgets a descriptor that is closed or replaced.
void rlp_forget_descriptor(int descriptor);

// Returns whether a thread writes to this descriptor, or to its other end, in order to wake a loop.
static inline int rlp_is_wakeup(const rlp_descriptor *entry) {
  return entry != NULL && (entry->kind == RLP_EVENT || (entry->kind == RLP_PIPE && entry->is_signalled));
}

// Writes the name of what a descriptor serves. All connections of a port have the same name.
void rlp_describe(int descriptor, const rlp_descriptor *entry, char *name, size_t size);

#endif
