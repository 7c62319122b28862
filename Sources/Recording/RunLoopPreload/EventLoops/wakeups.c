#include "wakeups.h"

#include "bookkeeping.h"
#include "names.h"
#include "objects.h"
#include "services.h"
#include "stack.h"

// A set has one or two wake-ups and timers. More than this many are not looked at.
enum { WAKEUPS_MAX = 16 };

// The first descriptors of a list and those that became ready are noted.
enum { MEMBERS_NOTED = 64 };

static int may_wake(const rlp_descriptor *entry) {
  return entry->kind == RLP_EVENT || entry->kind == RLP_PIPE || entry->kind == RLP_TIMER;
}

// Runs a statement for each descriptor of a set that may wake it: `descriptor`, `entry`.
#define FOR_WAKEUPS(number, statement) \
  do { \
    const rlp_descriptor *of_set_ = rlp_descriptor_of(number); \
    int descriptor = of_set_ == NULL ? -1 : of_set_->next; \
    for (int i_ = 0; i_ < WAKEUPS_MAX && descriptor >= 0; i_++) { \
      rlp_descriptor *entry = rlp_descriptor_of(descriptor); \
      if (entry == NULL || entry->set != (number)) break; \
      int next_ = entry->next; \
      statement; \
      descriptor = next_; \
    } \
  } while (0)

// Ends the source or timer of a wake-up.
static void end_wakeup(rlp_descriptor *entry) {
  if (rlp_knows(entry->object, entry->session)) {
    rlt_emit(entry->kind == RLP_TIMER ? RLT_KIND_TIMER_INVALIDATE : RLT_KIND_SOURCE_INVALIDATE, entry->object);
    rlp_object_release(entry->object);
  }
  entry->object = 0;
  entry->has_timer = 0;
}

void rlp_note_in_set(int set, int descriptor, uint64_t word) {
  rlp_descriptor *of_set = rlp_make_descriptor(set), *entry = rlp_make_descriptor(descriptor);
  if (of_set == NULL || entry == NULL) return;
  entry->word = word;
  if (entry->set == set) return;
  entry->set = set;
  if (!may_wake(entry)) return;
  int count = 0;
  FOR_WAKEUPS(set, count++);
  entry->is_unwatched = count >= WAKEUPS_MAX;
  if (entry->is_unwatched) return;
  entry->next = of_set->next;
  of_set->next = descriptor;
}

void rlp_note_not_in_set(int set, int descriptor) {
  rlp_descriptor *entry = rlp_descriptor_of(descriptor), *before = rlp_descriptor_of(set);
  if (entry == NULL || entry->set != set) return;
  for (int i = 0; i < WAKEUPS_MAX && before != NULL && before->next >= 0; i++) {
    if (before->next == descriptor) {
      before->next = entry->next;
      break;
    }
    before = rlp_descriptor_of(before->next);
  }
  // The loop no longer waits for this timer.
  if (entry->kind == RLP_TIMER) end_wakeup(entry);
  entry->set = entry->next = -1;
}

// MARK: Timers

// Creates the timer of a timerfd in its loop, or moves it.
static void set_timer(int descriptor, rlp_descriptor *entry, uint32_t loop) {
  uint8_t mode = rlp_event_loop_mode();
  int is_known = entry->object != 0 && entry->session == rlp_session() && entry->loop == loop;
  if (entry->due_ns == 0) {
    if (is_known && entry->has_timer) RLP_EMIT(RLT_KIND_TIMER_REMOVE, mode, entry->object, mode);
    entry->has_timer = 0;
    return;
  }
  if (!is_known) {
    if (!rlp_has_room_on_stack()) return;
    char name[64];
    rlp_describe(descriptor, entry, name, sizeof name);
    entry->object = rlp_object_make();
    if (entry->object == 0) return;
    entry->session = rlp_session();
    entry->loop = loop;
    entry->has_timer = 0;
    RLP_EMIT(
        RLT_KIND_TIMER_CREATE, mode, entry->object, rlp_string(name), entry->interval_ns, 0, entry->due_ns, 0);
  } else {
    RLP_EMIT(RLT_KIND_TIMER_RESCHEDULE, mode, entry->object, entry->due_ns);
  }
  if (!entry->has_timer) RLP_EMIT(RLT_KIND_TIMER_ADD, mode, entry->object, mode, loop);
  entry->has_timer = 1;
}

// Returns the loop that waits for a descriptor; 0 = none.
static uint32_t loop_of(const rlp_descriptor *entry) {
  if (entry->is_unwatched) return 0;
  if (rlp_has_event_loop() && entry->set == rlp_set_number(rlp_own_loop.set)) return rlp_own_loop.loop;
  const rlp_descriptor *set = entry->set < 0 ? NULL : rlp_descriptor_of(entry->set);
  return set != NULL && set->kind == RLP_EPOLL && rlp_knows(set->object, set->session) ? set->object : 0;
}

void rlp_note_timer_set(int descriptor, uint64_t due_ns, uint64_t interval_ns) {
  rlp_descriptor *entry = rlp_descriptor_of(descriptor);
  if (entry == NULL || entry->kind != RLP_TIMER) return;
  entry->due_ns = due_ns;
  entry->interval_ns = interval_ns;
  uint32_t loop = rlp_is_recording_already() ? loop_of(entry) : 0;
  if (loop == 0 || !rlp_enter()) return;
  set_timer(descriptor, entry, loop);
  rlp_leave();
}

static void serve_timer(rlp_descriptor *entry) {
  uint64_t now = rlt_monotonic_ns(), due = entry->due_ns;
  if (due == 0 || now < due || !rlp_knows(entry->object, entry->session)) return;
  rlp_fire(entry->object, due);
  entry->due_ns = entry->interval_ns == 0 ? 0 : due + ((now - due) / entry->interval_ns + 1) * entry->interval_ns;
}

// MARK: Serving

// A wake-up is served when the wait returns, whether or not the loop reads it: some never do.
static void serve(const rlp_event_loop *own, int descriptor, rlp_descriptor *entry) {
  if (entry->kind == RLP_TIMER) {
    serve_timer(entry);
  } else if (rlp_is_wakeup(entry)) {
    uint32_t source = rlp_source_of(descriptor, entry, own);
    if (source != 0) rlt_emit_batch(RLT_BOTH(RLT_KIND_SOURCE0_BEGIN), own->mode, source);
  }
}

static void serve_events(const rlp_event_loop *own, const rlp_found *found) {
  int set = rlp_set_number(own->set);
  for (nfds_t i = 0; i < found->count; i++)
    FOR_WAKEUPS(set, if (entry->word == found->events[i].data.u64) serve(own, descriptor, entry));
}

static void serve_of_list(rlp_event_loop *own, int descriptor) {
  rlp_descriptor *entry = rlp_make_descriptor(descriptor);
  if (entry == NULL) return;
  entry->set = rlp_set_number(own->set);
  own->has_members = 1;
  serve(own, descriptor, entry);
}

// Notes that the loop's list has a descriptor, unless an epoll set has it.
static void note_in_list(rlp_event_loop *own, int descriptor) {
  rlp_descriptor *entry = rlp_make_descriptor(descriptor);
  if (entry == NULL || entry->set >= 0) return;
  entry->set = rlp_set_number(own->set);
  own->has_members = 1;
}

static void serve_list(rlp_event_loop *own, const rlp_found *found) {
  for (nfds_t i = 0; i < found->count; i++) {
    if (found->list[i].revents != 0) serve_of_list(own, found->list[i].fd);
    else if (i < MEMBERS_NOTED) note_in_list(own, found->list[i].fd);
  }
}

static void serve_sets(rlp_event_loop *own, const rlp_found *found) {
  int count = found->count < FD_SETSIZE ? (int)found->count : FD_SETSIZE;
  for (int descriptor = 0; descriptor < count; descriptor++)
    if (FD_ISSET(descriptor, found->reads)) serve_of_list(own, descriptor);
}

void rlp_serve_found(rlp_event_loop *own, int ready, const rlp_found *found) {
  // After an error, the memory says nothing.
  if (ready < 0) return;
  if (found->list != NULL) serve_list(own, found);
  else if (ready > 0 && found->events != NULL) serve_events(own, found);
  else if (ready > 0 && found->reads != NULL) serve_sets(own, found);
}

void rlp_begin_wakeups(rlp_event_loop *own) {
  if (!rlp_is_epoll_set(own->set) || !rlp_brackets_callouts()) return;
  FOR_WAKEUPS(rlp_set_number(own->set), {
    if (entry->kind == RLP_TIMER) set_timer(descriptor, entry, own->loop);
    else if (rlp_is_wakeup(entry)) rlp_source_of(descriptor, entry, own);
  });
}

void rlp_end_wakeups(const rlp_event_loop *own) {
  if (rlp_is_epoll_set(own->set))
    FOR_WAKEUPS(rlp_set_number(own->set), if (entry->kind == RLP_TIMER || rlp_is_wakeup(entry)) end_wakeup(entry));
}

void rlp_signal_reader(int descriptor) {
  const rlp_descriptor *entry = rlp_descriptor_of(descriptor);
  if (entry == NULL || entry->reader < 0 || (entry->kind != RLP_EVENT && entry->kind != RLP_PIPE)) return;
  rlp_descriptor *reader = rlp_descriptor_of(entry->reader);
  if (reader == NULL || reader->kind != entry->kind) return;
  if (reader->kind == RLP_PIPE && !reader->is_signalled) {
    // Until now it looked like a pipe for data.
    reader->is_signalled = 1;
    reader->object = 0;
    return;
  }
  if (!rlp_knows(reader->object, reader->session) || !rlp_enter()) return;
  rlt_emit(RLT_KIND_SOURCE_SIGNAL, reader->object);
  rlp_leave();
}

// Ends what was in a set, because another set may get its number.
static void forget_members(int set) {
  FOR_WAKEUPS(set, {
    end_wakeup(entry);
    entry->set = entry->next = -1;
  });
}

void rlp_note_gone(int descriptor) {
  rlp_descriptor *entry = rlp_descriptor_of(descriptor);
  if (entry == NULL) return;
  if (entry->kind == RLP_TIMER || rlp_is_wakeup(entry)) end_wakeup(entry);
  if (entry->kind == RLP_EPOLL || entry->next >= 0) forget_members(descriptor);
  if (entry->set >= 0) rlp_note_not_in_set(entry->set, descriptor);
  rlp_descriptor *other = entry->kind == RLP_PIPE ? rlp_descriptor_of(entry->other) : NULL;
  // Another file may get the number. In a program that forks, the other end often stays open for a child's data.
  if (other != NULL && other->other == descriptor) other->reader = other->other = -1;
  rlp_forget_descriptor(descriptor);
}
