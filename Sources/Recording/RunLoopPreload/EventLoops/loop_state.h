// The state of the event loop of a thread.
#ifndef RLP_LOOP_STATE_H
#define RLP_LOOP_STATE_H

#include "session.h"

// An epoll set is identified by its descriptor. A list for poll or select is identified by the place of the call,
// because lists move in memory.
typedef uint64_t rlp_wait_set;
#define RLP_EPOLL_SET(descriptor) ((rlp_wait_set)(uint32_t)(descriptor) << 1 | 1)
#define RLP_LIST_SET(caller) ((rlp_wait_set)(caller) << 1)
static inline int rlp_is_epoll_set(rlp_wait_set set) { return (int)(set & 1); }
// Returns a number for a set: the descriptor of an epoll set, a negative number other than -1 for a list.
static inline int32_t rlp_set_number(rlp_wait_set set) {
  uint32_t number = (uint32_t)(set >> 1);
  return (int32_t)(rlp_is_epoll_set(set) ? number : ((number & 0x3FFFFFFF) | 0x80000000u));
}

typedef struct {
  rlp_wait_set set;      // the set that the thread waits for
  rlp_wait_set other;    // another set that it waited for since
  uint32_t waits;        // in a row: for `set` until the thread has a loop, afterwards for `other`
  uint32_t loop;         // the loop's object; 0 = the thread has no loop
  uint32_t session;      // the recording that knows the loop
  uint8_t mode;
  uint8_t is_waiting;    // BeforeWaiting was emitted, AfterWaiting was not
  uint8_t is_polling;    // inside a call that does not wait
  uint8_t has_timer;     // the timer is in the loop's mode
  uint8_t has_members;   // a list: descriptors of it are known
  int32_t descriptor;    // that the open callout serves; -1 = no callout is open
  uint32_t source;       // of the open callout
  uint32_t timer;        // the time limit of the waits; 0 = none had one so far
  uint64_t due_ns;       // the due point of `timer`; 0 = none
  uint32_t empty_polls;  // in a row
  uint64_t polls;        // not recorded as passes, since the last event that counts them
  uint64_t polled_ns;    // when the last pass that did not wait was recorded
  uint32_t lists_closed; // the count of closed descriptors of lists when the loop began
} rlp_event_loop;

extern RLT_TLS rlp_event_loop rlp_own_loop;

// The result of a wait: events of an epoll set, a list, or a set of descriptors to read; the others are NULL.
typedef struct {
  const struct epoll_event *events;
  const struct pollfd *list;
  const fd_set *reads;
  nfds_t count;  // of events, of the list, of the descriptors that the sets may contain
} rlp_found;

// Returns whether the calling thread has an event loop in this recording.
static inline int rlp_has_event_loop(void) {
  return rlp_own_loop.loop != 0 && rlp_own_loop.session == rlp_session();
}

// Returns the mode of all event loops in the current recording.
uint8_t rlp_event_loop_mode(void);
// Emits that a timer whose point has come is served now.
void rlp_fire(uint32_t timer, uint64_t due_ns);

#endif
