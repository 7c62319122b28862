// The calls that make, use and close descriptors.
#include "bookkeeping.h"
#include "event_loops.h"
#include "interposing.h"
#include "services.h"
#include "wakeups.h"

// MARK: Reading and writing

#define READS(type, name, parameters, call) \
  REAL(name) \
  RLP_EXPORT type name parameters { \
    FIND_REAL(name, rlp_missing()); \
    rlp_note_read(descriptor); \
    return call; \
  }

RLP_EXPORT ssize_t __read_chk(int descriptor, void *bytes, size_t count, size_t size);
RLP_EXPORT ssize_t __recv_chk(int descriptor, void *bytes, size_t count, size_t size, int flags);
RLP_EXPORT ssize_t __recvfrom_chk(
    int descriptor, void *restrict bytes, size_t count, size_t size, int flags, struct sockaddr *restrict from,
    socklen_t *restrict length);

READS(ssize_t, read, (int descriptor, void *bytes, size_t count), real(descriptor, bytes, count))
READS(
    ssize_t, __read_chk, (int descriptor, void *bytes, size_t count, size_t size),
    real(descriptor, bytes, count, size))
READS(ssize_t, readv, (int descriptor, const struct iovec *parts, int count), real(descriptor, parts, count))
READS(ssize_t, recv, (int descriptor, void *bytes, size_t count, int flags), real(descriptor, bytes, count, flags))
READS(
    ssize_t, __recv_chk, (int descriptor, void *bytes, size_t count, size_t size, int flags),
    real(descriptor, bytes, count, size, flags))
READS(
    ssize_t, recvfrom,
    (int descriptor, void *restrict bytes, size_t count, int flags, struct sockaddr *restrict from,
     socklen_t *restrict length),
    real(descriptor, bytes, count, flags, from, length))
READS(
    ssize_t, __recvfrom_chk,
    (int descriptor, void *restrict bytes, size_t count, size_t size, int flags, struct sockaddr *restrict from,
     socklen_t *restrict length),
    real(descriptor, bytes, count, size, flags, from, length))
READS(ssize_t, recvmsg, (int descriptor, struct msghdr *message, int flags), real(descriptor, message, flags))
READS(
    int, recvmmsg,
    (int descriptor, struct mmsghdr *messages, unsigned count, int flags, struct timespec *timeout),
    real(descriptor, messages, count, flags, timeout))

#define WRITES(type, name, parameters, call) \
  REAL(name) \
  RLP_EXPORT type name parameters { \
    FIND_REAL(name, rlp_missing()); \
    rlp_signal_reader(descriptor); \
    rlp_note_written(descriptor); \
    return call; \
  }

WRITES(ssize_t, write, (int descriptor, const void *bytes, size_t count), real(descriptor, bytes, count))
WRITES(ssize_t, writev, (int descriptor, const struct iovec *parts, int count), real(descriptor, parts, count))
WRITES(
    ssize_t, send, (int descriptor, const void *bytes, size_t count, int flags), real(descriptor, bytes, count, flags))
WRITES(
    ssize_t, sendto,
    (int descriptor, const void *bytes, size_t count, int flags, const struct sockaddr *to, socklen_t length),
    real(descriptor, bytes, count, flags, to, length))
WRITES(ssize_t, sendmsg, (int descriptor, const struct msghdr *message, int flags), real(descriptor, message, flags))
// The C library's own calls inside this one do not reach `write`.
WRITES(int, eventfd_write, (int descriptor, eventfd_t value), real(descriptor, value))

// MARK: Connections

#define ACCEPTS(name, parameters, call) \
  REAL(name) \
  RLP_EXPORT int name parameters { \
    FIND_REAL(name, rlp_missing()); \
    rlp_note_read(descriptor); \
    int accepted = call; \
    rlp_descriptor *entry = rlp_note_descriptor(accepted, RLP_PLAIN, -1); \
    if (entry != NULL) entry->listener = descriptor; \
    return accepted; \
  }

ACCEPTS(
    accept, (int descriptor, struct sockaddr *restrict from, socklen_t *restrict length),
    real(descriptor, from, length))
ACCEPTS(
    accept4, (int descriptor, struct sockaddr *restrict from, socklen_t *restrict length, int flags),
    real(descriptor, from, length, flags))

// MARK: Sets

// A set may have a timer without looking at it.
static int is_timer_off(int descriptor, const struct epoll_event *event) {
  const rlp_descriptor *entry = rlp_descriptor_of(descriptor);
  return entry != NULL && entry->kind == RLP_TIMER && (event->events & EPOLLIN) == 0;
}

static void note_set_changed(int set, int operation, int descriptor, const struct epoll_event *event) {
  if (operation == EPOLL_CTL_DEL || event == NULL || is_timer_off(descriptor, event))
    rlp_note_not_in_set(set, descriptor);
  else rlp_note_in_set(set, descriptor, event->data.u64);
}

REAL(epoll_ctl)

RLP_EXPORT int epoll_ctl(int set, int operation, int descriptor, struct epoll_event *event) {
  FIND_REAL(epoll_ctl, rlp_missing());
  int result = real(set, operation, descriptor, event);
  if (result == 0 && rlp_enter()) {
    note_set_changed(set, operation, descriptor, event);
    rlp_leave();
  }
  return result;
}

// MARK: Wake-ups and timers

REAL(eventfd)

RLP_EXPORT int eventfd(unsigned value, int flags) {
  FIND_REAL(eventfd, rlp_missing());
  int made = real(value, flags);
  rlp_note_descriptor(made, RLP_EVENT, made);
  return made;
}

// `is_pair`: both ends can be written to.
static void note_pipe(const int ends[2], int is_pair) {
  rlp_descriptor *first = rlp_note_descriptor(ends[0], RLP_PIPE, is_pair ? ends[1] : -1);
  rlp_descriptor *second = rlp_note_descriptor(ends[1], RLP_PIPE, ends[0]);
  if (first != NULL) first->other = ends[1];
  if (second != NULL) second->other = ends[0];
}

#define MAKES_PIPE(name, parameters, is_pair, call) \
  REAL(name) \
  RLP_EXPORT int name parameters { \
    FIND_REAL(name, rlp_missing()); \
    int result = call; \
    if (result == 0) note_pipe(ends, is_pair); \
    return result; \
  }

MAKES_PIPE(pipe, (int ends[2]), 0, real(ends))
MAKES_PIPE(pipe2, (int ends[2], int flags), 0, real(ends, flags))
MAKES_PIPE(socketpair, (int domain, int type, int protocol, int ends[2]), 1, real(domain, type, protocol, ends))

REAL(timerfd_create)

RLP_EXPORT int timerfd_create(clockid_t clock, int flags) {
  FIND_REAL(timerfd_create, rlp_missing());
  int made = real(clock, flags);
  rlp_descriptor *entry = rlp_note_descriptor(made, RLP_TIMER, -1);
  if (entry != NULL) entry->is_of_day = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_ALARM;
  return made;
}

static uint64_t to_ns(const struct timespec *time) {
  // No program reaches later points, whose nanoseconds need more than 64 bits.
  static const int64_t last_second = (int64_t)1 << 32;
  int64_t seconds = time->tv_sec < last_second ? time->tv_sec : last_second;
  return (uint64_t)seconds * 1000000000 + (uint64_t)time->tv_nsec;
}

REAL(timerfd_settime)

RLP_EXPORT int timerfd_settime(int descriptor, int flags, const struct itimerspec *value, struct itimerspec *former) {
  FIND_REAL(timerfd_settime, rlp_missing());
  // The system's point is not before the one that is recorded. Else the timer would fire too early.
  uint64_t now = rlt_monotonic_ns();
  int result = real(descriptor, flags, value, former), kept_errno = errno;
  const rlp_descriptor *entry = result == 0 && value != NULL ? rlp_descriptor_of(descriptor) : NULL;
  if (entry == NULL) return result;
  uint64_t due = to_ns(&value->it_value);
  if (due != 0 && (flags & TFD_TIMER_ABSTIME) == 0) due += now;
  else if (due != 0 && entry->is_of_day) due += now - rlt_realtime_ns();
  rlp_note_timer_set(descriptor, due, to_ns(&value->it_interval));
  errno = kept_errno;
  return 0;
}

// MARK: Closing

static void note_closed(int descriptor) {
  const rlp_descriptor *entry = rlp_descriptor_of(descriptor);
  if (entry == NULL || entry->kind == RLP_UNKNOWN_DESCRIPTOR) return;
  // A child of vfork closes descriptors in its parent's memory.
  if (!rlp_is_own_process()) return;
  if (!rlp_enter()) {
    rlp_forget_descriptor(descriptor);
    return;
  }
  rlp_note_set_closed(descriptor);
  if (rlp_own_loop.descriptor == descriptor) rlp_end_service(&rlp_own_loop);
  rlp_note_gone(descriptor);
  rlp_leave_lost_loop();
  rlp_leave();
}

static void note_range_closed(unsigned first, unsigned last) {
  int highest = rlp_highest_descriptor();
  for (int descriptor = (int)(first < INT_MAX ? first : INT_MAX); descriptor <= highest; descriptor++) {
    if ((unsigned)descriptor > last) return;
    note_closed(descriptor);
  }
}

REAL(close)

RLP_EXPORT int close(int descriptor) {
  FIND_REAL(close, rlp_missing());
  // Another thread may get the number as soon as the descriptor is closed.
  note_closed(descriptor);
  return real(descriptor);
}

REAL(fclose)

// The C library's own call inside this one does not reach `close`.
RLP_EXPORT int fclose(FILE *file) {
  FIND_REAL(fclose, (errno = ENOSYS, EOF));
  int kept_errno = errno, descriptor = file == NULL ? -1 : fileno(file);
  errno = kept_errno;
  note_closed(descriptor);
  return real(file);
}

// A copy replaces the descriptor that had its number, unless the call fails.
#define COPIES(name, parameters, call) \
  REAL(name) \
  RLP_EXPORT int name parameters { \
    FIND_REAL(name, rlp_missing()); \
    int made = call; \
    if (made >= 0 && copy != descriptor) note_closed(copy); \
    return made; \
  }

COPIES(dup2, (int descriptor, int copy), real(descriptor, copy))
COPIES(dup3, (int descriptor, int copy, int flags), real(descriptor, copy, flags))

REAL(close_range)

RLP_EXPORT int close_range(unsigned first, unsigned last, int flags) {
  FIND_REAL(close_range, rlp_missing());
  // With other flags, nothing is closed.
  if ((flags & ~CLOSE_RANGE_UNSHARE) == 0) note_range_closed(first, last);
  return real(first, last, flags);
}

REAL(closefrom)

RLP_EXPORT void closefrom(int first) {
  FIND_REAL(closefrom);
  note_range_closed(first < 0 ? 0 : (unsigned)first, UINT32_MAX);
  real(first);
}
