#include "event_loops.h"

#include "bookkeeping.h"
#include "descriptors.h"
#include "images.h"
#include "names.h"
#include "objects.h"
#include "recording.h"
#include "services.h"
#include "settings.h"
#include "stack.h"
#include "wakeups.h"

// A thread has a loop after this many waits in a row for the same set.
enum { WAITS_OF_A_LOOP = 8 };

// Calls that do not wait are recorded as passes at most once in this time: the longer one if nothing was ready. The
// rest is counted.
enum { EMPTY_POLLS_NS = 500000, POLLS_NS = 10000 };

// Limits of waits are rounded to milliseconds, so points this close are the same point.
enum { SAME_POINT_NS = 1200000 };

static pthread_key_t thread_end_key;
static int has_thread_end_key;
static pthread_once_t thread_end_once = PTHREAD_ONCE_INIT;

// The events from the begin of a pass on, from the end of a wait on, and of a wait without length.
#define END_OF_WAIT (RLT_BOTH(RLT_KIND_AFTER_WAITING_LOW) | RLT_BEGIN_OF_PASS << 16)
#define WHOLE_WAIT (RLT_BOTH(RLT_KIND_BEFORE_WAITING_LOW) | END_OF_WAIT << 16)

// Emits events of the loop.
static inline void emit(const rlp_event_loop *own, uint64_t kinds) {
  rlt_emit_batch(kinds, own->mode, own->loop);
}

static uint32_t name_of_loop(const char *what) {
  char thread[64], name[96];
  if (!rlp_has_room_on_stack()) return rlp_string(what);
  rlt_copy_thread_name(thread, sizeof thread);
  snprintf(name, sizeof name, thread[0] == 0 ? "%s of a thread" : "%s of %s", what, thread);
  uint32_t string = rlp_string(name), number = rlp_times_used(string);
  if (number == 1) return string;
  size_t length = strlen(name);
  snprintf(name + length, sizeof name - length, " (%u)", number);
  return rlp_string(name);
}

static void describe_loop(uint32_t loop, const char *what, uint64_t kind) {
  RLP_EMIT(RLT_KIND_LOOP_CREATE, rlp_event_loop_mode(), loop, name_of_loop(what), kind);
}

// MARK: Owners of epoll sets

// The owner of a set for which several threads wait: those of a pool. They also rest elsewhere, so the time between two
// of their waits says nothing.
static const char several;

enum { OWN_SET, NEW_SET, SHARED_SET };

// Returns whether the calling thread alone waits for an epoll set, whether it waits for the first time since another
// thread did, or whether the threads of a pool wait for it.
static int claim_set(int set, const rlp_event_loop *own) {
  const rlp_descriptor *known = rlp_descriptor_of(set);
  if (__builtin_expect(known != NULL && __atomic_load_n(&known->owner, __ATOMIC_RELAXED) == own, 1)) return OWN_SET;
  rlp_descriptor *entry = rlp_make_descriptor(set);
  if (entry == NULL) return SHARED_SET;
  const void *found = __atomic_load_n(&entry->owner, __ATOMIC_RELAXED);
  if (found == &several) return SHARED_SET;
  // Before it has a loop, a set may be handed from one thread to another.
  int is_pool = found != NULL && rlp_knows(entry->object, entry->session);
  const void *owner = is_pool ? (const void *)&several : own;
  if (!__atomic_compare_exchange_n(&entry->owner, &found, owner, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED) || !is_pool)
    return NEW_SET;
  describe_loop(entry->object, "pool", RLT_LOOP_OF_POOL);
  return SHARED_SET;
}

// MARK: Begin and end

static void emit_end(rlp_event_loop *own) {
  rlp_end_service(own);
  if (own->is_waiting) emit(own, RLT_BOTH(RLT_KIND_AFTER_WAITING_LOW));
  emit(own, RLT_BOTH(RLT_KIND_EXIT_LOW));
  rlp_end_wakeups(own);
  if (own->timer != 0) rlt_emit(RLT_KIND_TIMER_INVALIDATE, own->timer);
  rlt_emit_in_mode(RLT_KIND_LOOP_END, own->mode, own->loop);
  if (rlt_thread.ring != NULL) rlt_ring_set_runs(rlt_thread.ring, 0, 0);
  // The thread may have another loop.
  rlt_thread.runs_loop = 0;
  rlt_thread.mode = 0;
}

// Ends the loop, now or after the thread turned out to have left it. Analysis ends it where the last wait returned.
static void end_loop(rlp_event_loop *own) {
  if (rlp_has_event_loop() && rlp_is_recording_already()) emit_end(own);
  rlp_descriptor *entry = rlp_is_epoll_set(own->set) ? rlp_descriptor_of(rlp_set_number(own->set)) : NULL;
  if (entry != NULL && entry->object == own->loop) entry->object = 0;
  if (entry != NULL && entry->owner == own) entry->owner = NULL;
  *own = (rlp_event_loop){.descriptor = -1};
}

// Returns whether the set of a thread's loop was closed, or has another owner now.
static int has_lost_set(rlp_event_loop *own) {
  int number = rlp_set_number(own->set);
  const rlp_descriptor *entry = rlp_is_epoll_set(own->set) ? rlp_descriptor_of(number) : NULL;
  if (entry != NULL) return __atomic_load_n(&entry->owner, __ATOMIC_RELAXED) != own;
  // The usual case: no descriptor of a list was closed since the last look.
  uint32_t closed = rlp_lists_closed();
  if (!own->has_members || own->lists_closed == closed) return 0;
  own->lists_closed = closed;
  return !rlp_has_members(number);
}

static void thread_ended(void *thread) {
  rlp_event_loop *own = thread;
  if (!rlp_enter()) return;
  end_loop(own);
  rlp_leave();
}

static void make_thread_end_key(void) { has_thread_end_key = pthread_key_create(&thread_end_key, thread_ended) == 0; }

void rlp_note_set_closed(int descriptor) {
  rlp_event_loop *own = &rlp_own_loop;
  if (own->loop != 0 && own->set == RLP_EPOLL_SET(descriptor)) end_loop(own);
}

void rlp_leave_lost_loop(void) {
  rlp_event_loop *own = &rlp_own_loop;
  if (own->loop == 0 || own->is_waiting || !has_lost_set(own)) return;
  end_loop(own);
}

void rlp_end_loops_with_process(void) {
  if (rlp_own_loop.loop == 0 || !rlp_enter()) return;
  rlp_leave_lost_loop();
  rlp_leave();
}

// Returns whether the calling thread is Dispatch's own. Code of a Dispatch that is linked into the program looks like
// the program's. Then the thread's name tells: the end of a queue's label, as much as the system keeps of it.
static int is_of_dispatch(uintptr_t caller) {
  char name[16];
  if (rlp_kind_of(caller) == RLP_SYSTEM_CODE) return 1;
  if (rlp_has_dispatch()) return 0;
  rlt_copy_thread_name(name, sizeof name);
  return strcmp(name, "-qos.overcommit") == 0;
}

// Returns whether the calling thread runs a CFRunLoop, or another event loop, in this recording. A child of fork may
// leave its parent's loop.
static int runs_another_loop(void) {
  return rlt_thread.runs_loop && rlt_thread.session == rlt_recording_session();
}

// The calling thread has an event loop from now on, unless it runs a CFRunLoop, which waits as well, or is Dispatch's
// own.
static void begin_loop(rlp_event_loop *own, uintptr_t caller) {
  if (__atomic_load_n(&rlt_calls_are_filtered, __ATOMIC_RELAXED)) return;
  pthread_once(&thread_end_once, make_thread_end_key);
  if (!has_thread_end_key) return;
  if (runs_another_loop() || is_of_dispatch(caller) || !rlp_begin_recording()) return;
  rlt_join_recording();
  if (rlt_thread.is_left_out || rlt_thread.ring == NULL) return;
  uint32_t loop = rlp_object_make();
  if (loop == 0) return;
  if (pthread_setspecific(thread_end_key, own) != 0) return;
  int is_epoll = rlp_is_epoll_set(own->set);
  *own = (rlp_event_loop){
      .set = own->set, .loop = loop, .session = rlp_session(), .mode = rlp_event_loop_mode(), .descriptor = -1,
      .lists_closed = rlp_lists_closed()};
  rlt_thread.mode = own->mode;
  describe_loop(loop, "event loop", is_epoll ? RLT_LOOP_OF_EPOLL : RLT_LOOP_OF_LIST);
  RLP_EMIT(RLT_KIND_LOOP_ADD_COMMON_MODE, own->mode, loop, own->mode);
  rlp_descriptor *entry = is_epoll ? rlp_make_descriptor(rlp_set_number(own->set)) : NULL;
  if (entry != NULL) {
    entry->kind = RLP_EPOLL;
    entry->session = own->session;
    entry->object = loop;
  }
  emit(own, RLT_BOTH(RLT_KIND_ENTRY_LOW) | RLT_BEGIN_OF_PASS << 16);
  rlp_begin_wakeups(own);
  rlt_ring_set_runs(rlt_thread.ring, 1, own->mode);
  rlt_spool_note(rlt_current_spool(), RLT_SEEN_RUN);
}

// MARK: Time limits of waits

static void list_timer(rlp_event_loop *own, int is_listed) {
  if (own->has_timer == is_listed) return;
  own->has_timer = (uint8_t)is_listed;
  if (is_listed) RLP_EMIT(RLT_KIND_TIMER_ADD, own->mode, own->timer, own->mode, own->loop);
  else RLP_EMIT(RLT_KIND_TIMER_REMOVE, own->mode, own->timer, own->mode);
}

// Sets the point at which the loop wants to continue if nothing else happens; 0 = none.
static void set_due(rlp_event_loop *own, uint64_t due_ns) {
  if (due_ns != 0 && own->due_ns != 0 && due_ns + SAME_POINT_NS > own->due_ns && due_ns < own->due_ns + SAME_POINT_NS)
    return;
  own->due_ns = due_ns;
  if (due_ns == 0) {
    if (own->timer != 0) list_timer(own, 0);
    return;
  }
  if (own->timer == 0) {
    own->timer = rlp_object_make();
    if (own->timer == 0) return;
    RLP_EMIT(
        RLT_KIND_TIMER_CREATE, own->mode, own->timer, rlp_string("time limit of the wait"), 0, 0, due_ns, 0);
  } else {
    RLP_EMIT(RLT_KIND_TIMER_RESCHEDULE, own->mode, own->timer, due_ns);
  }
  list_timer(own, 1);
}

static void fire_if_due(rlp_event_loop *own, uint64_t now) {
  if (own->due_ns == 0 || now < own->due_ns) return;
  if (own->timer != 0) rlp_fire(own->timer, own->due_ns);
  own->due_ns = 0;
}

// MARK: Waits

// Counts the waits of a thread that has no loop yet.
static void count_wait(rlp_event_loop *own, rlp_wait_set set, uint64_t timeout_ns, uintptr_t caller) {
  // A busy loop asks its epoll set what is ready, and never waits. Others ask a list now and then.
  if (timeout_ns == 0 && !rlp_is_epoll_set(set)) return;
  // Some loops ask a set inside their own one between their waits.
  if (timeout_ns == 0 && own->loop == 0 && own->set != 0 && own->set != set) {
    own->empty_polls = own->other == set ? own->empty_polls + 1 : 1;
    own->other = set;
    if (own->empty_polls < WAITS_OF_A_LOOP) return;
  }
  own->empty_polls = 0;
  if (own->set != set || own->loop != 0) *own = (rlp_event_loop){.set = set, .descriptor = -1};
  int claim = rlp_is_epoll_set(set) ? claim_set(rlp_set_number(set), own) : OWN_SET;
  own->waits = claim == SHARED_SET ? 0 : claim == NEW_SET ? 1 : own->waits + 1;
  // On a small stack, the begin of a loop could overwrite other memory. So the loop begins with a later wait.
  if (own->waits < WAITS_OF_A_LOOP || !rlp_has_room_on_stack()) return;
  own->waits = 0;
  begin_loop(own, caller);
}

// Returns whether a thread has left its loop, and waits for another set now. A few such waits are part of the pass: a
// callout waits for something.
static int has_moved(rlp_event_loop *own, rlp_wait_set set, uint64_t timeout_ns) {
  // Signal handlers wait inside the loop's wait.
  if (own->is_waiting || timeout_ns == 0) return 0;
  if (has_lost_set(own)) return 1;
  own->waits = own->other == set ? own->waits + 1 : 1;
  own->other = set;
  return own->waits >= WAITS_OF_A_LOOP;
}

// Counts a wait of the calling thread, which may begin or end its loop. Returns whether its loop waits.
static int is_wait_of_loop(rlp_event_loop *own, rlp_wait_set set, uint64_t timeout_ns, uintptr_t caller) {
  if (__builtin_expect(rlp_recording_state != RLP_RECORDING && rlp_recording_state != RLP_NOT_YET, 0)) return 0;
  if (__builtin_expect(rlp_has_event_loop(), 1)) {
    if (__builtin_expect(own->set == set, 1)) {
      if (!rlp_is_epoll_set(set) || __builtin_expect(claim_set(rlp_set_number(set), own) == OWN_SET, 1)) return 1;
      end_loop(own);
    } else {
      if (!has_moved(own, set, timeout_ns)) return 0;
      end_loop(own);
    }
  }
  count_wait(own, set, timeout_ns, caller);
  return rlp_has_event_loop();
}

static void end_wait(rlp_event_loop *own) {
  own->is_waiting = 0;
  own->empty_polls = 0;
  emit(own, END_OF_WAIT);
  if (own->due_ns != 0) fire_if_due(own, rlt_monotonic_ns());
}

static void begin_wait(rlp_event_loop *own, uint64_t timeout_ns) {
  // A signal handler jumped out of a wait.
  if (__builtin_expect(own->is_waiting, 0)) end_wait(own);
  own->waits = 0;
  rlp_end_service(own);
  own->is_polling = timeout_ns == 0;
  uint64_t now = 0;
  if (own->due_ns != 0 || (timeout_ns != 0 && timeout_ns != UINT64_MAX)) fire_if_due(own, now = rlt_monotonic_ns());
  if (own->is_polling) return;
  set_due(own, timeout_ns == UINT64_MAX ? 0 : now + timeout_ns);
  emit(own, RLT_BOTH(RLT_KIND_BEFORE_WAITING_LOW));
  own->is_waiting = 1;
}

int rlp_begin_wait(rlp_wait_set set, uint64_t timeout_ns, uintptr_t caller) {
  if (!rlp_records_event_loops() || !rlp_enter()) return 0;
  int kept_errno = errno;
  rlp_event_loop *own = &rlp_own_loop;
  int is_of_loop = is_wait_of_loop(own, set, timeout_ns, caller);
  if (is_of_loop) begin_wait(own, timeout_ns);
  errno = kept_errno;
  rlp_leave();
  return is_of_loop;
}

void rlp_count_wait(rlp_wait_set set, uint64_t timeout_ns, uintptr_t caller) {
  if (!rlp_records_event_loops() || !rlp_enter()) return;
  int kept_errno = errno;
  (void)is_wait_of_loop(&rlp_own_loop, set, timeout_ns, caller);
  errno = kept_errno;
  rlp_leave();
}

// The loop asked what is ready, without a wait. That is a pass whose wait has no length. An empty answer counts only after
// another empty one: some loops ask once before each wait.
static void end_poll(rlp_event_loop *own, int ready) {
  own->is_polling = 0;
  own->polls += 1;
  own->empty_polls = ready != 0 ? 0 : own->empty_polls + 1;
  if (own->empty_polls == 1) return;
  uint64_t now = rlt_monotonic_ns();
  if (now - own->polled_ns < (ready != 0 ? POLLS_NS : EMPTY_POLLS_NS)) return;
  own->polled_ns = now;
  if (own->polls > 1) RLP_EMIT(RLT_KIND_LOOP_POLLS, own->mode, own->loop, own->polls - 1);
  own->polls = 0;
  emit(own, WHOLE_WAIT);
  fire_if_due(own, now);
}

void rlp_end_wait(int ready, const rlp_found *found) {
  rlp_event_loop *own = &rlp_own_loop;
  // A child of fork returns from its parent's wait.
  if (!rlp_has_event_loop() || !rlp_enter()) return;
  int kept_errno = errno;
  if (own->is_waiting) end_wait(own);
  else if (own->is_polling) end_poll(own, ready);
  if (rlp_is_recording_already() && rlp_brackets_callouts()) rlp_serve_found(own, ready, found);
  errno = kept_errno;
  rlp_leave();
}
