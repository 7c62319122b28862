// The calls with which event loops wait.
#include "descriptors.h"
#include "event_loops.h"
#include "interposing.h"
#include "memory.h"
#include "settings.h"

// The place of the call. It is read at once, because the compiler may move unlikely code into a function of its own,
// whose caller is this library.
#define READ_CALLER() \
  uintptr_t caller = (uintptr_t)__builtin_return_address(0); \
  __asm__ volatile("" : "+r"(caller))

static uint64_t from_ms(int timeout) { return timeout < 0 ? UINT64_MAX : (uint64_t)timeout * 1000000; }

static uint64_t from_seconds(time_t seconds, long rest_ns) {
  // Longer times mean "no limit".
  return seconds < 0 || rest_ns < 0                     ? 0
         : (double)seconds >= RLT_LONGEST_SECONDS ? UINT64_MAX
                                                  : (uint64_t)seconds * 1000000000 + (uint64_t)rest_ns;
}

static uint64_t from_timespec(const struct timespec *at) {
  return at == NULL ? UINT64_MAX : from_seconds(at->tv_sec, at->tv_nsec);
}

// Memory is read through the kernel, and the program may have filtered that call.
static int may_kill_reading(void) { return __atomic_load_n(&rlt_calls_are_filtered, __ATOMIC_RELAXED); }

// The C library does not read this limit, so it may be no memory at all. Then the call fails.
static uint64_t from_unread_timespec(const struct timespec *at) {
  struct timespec copy;
  return at == NULL || may_kill_reading() || !rlp_read(at, &copy, sizeof copy) ? UINT64_MAX : from_timespec(&copy);
}

// `call` calls the program's own function as `real`.
#define EPOLL_WAITS(name, parameters, timeout_ns, call) \
  REAL(name) \
  RLP_EXPORT int name parameters { \
    READ_CALLER(); \
    FIND_REAL(name, rlp_missing()); \
    if (!rlp_begin_wait(RLP_EPOLL_SET(set), timeout_ns, caller)) return call; \
    int ready = call; \
    rlp_end_wait(ready, &(rlp_found){.events = events, .count = (nfds_t)ready}); \
    return ready; \
  }

EPOLL_WAITS(
    epoll_wait, (int set, struct epoll_event *events, int most, int timeout), from_ms(timeout),
    real(set, events, most, timeout))
EPOLL_WAITS(
    epoll_pwait, (int set, struct epoll_event *events, int most, int timeout, const sigset_t *mask), from_ms(timeout),
    real(set, events, most, timeout, mask))
EPOLL_WAITS(
    epoll_pwait2,
    (int set, struct epoll_event *events, int most, const struct timespec *timeout, const sigset_t *mask),
    rlp_records_event_loops() ? from_unread_timespec(timeout) : 0, real(set, events, most, timeout, mask))

// Returns whether the calling thread's own loop waits at this place. Its list may be shorter now.
static int is_place_of_loop(uintptr_t caller) {
  return rlp_has_event_loop() && rlp_own_loop.set == RLP_LIST_SET(caller);
}

// A loop's list has several descriptors, or one that other threads write to in order to wake the loop. A client waits
// for one. A list of one is read after the call, because it may be no memory at all: then the call fails.
static void count_wait_for_one(const struct pollfd *list, uint64_t timeout_ns, uintptr_t caller) {
  if (rlp_is_wakeup(rlp_descriptor_of(list->fd))) rlp_count_wait(RLP_LIST_SET(caller), timeout_ns, caller);
}

#define POLLS(name, parameters, timeout_ns, call) \
  REAL(name) \
  RLP_EXPORT int name parameters { \
    READ_CALLER(); \
    FIND_REAL(name, rlp_missing()); \
    int is_of_loop = (count > 1 || is_place_of_loop(caller)) \
                     && rlp_begin_wait(RLP_LIST_SET(caller), timeout_ns, caller), ready = call; \
    if (!is_of_loop && count == 1 && ready >= 0) count_wait_for_one(list, timeout_ns, caller); \
    if (!is_of_loop) return ready; \
    rlp_end_wait(ready, &(rlp_found){.list = list, .count = count}); \
    return ready; \
  }

RLP_EXPORT int __poll_chk(struct pollfd *list, nfds_t count, int timeout, size_t bytes);
RLP_EXPORT int __ppoll_chk(
    struct pollfd *list, nfds_t count, const struct timespec *timeout, const sigset_t *mask, size_t bytes);

POLLS(poll, (struct pollfd *list, nfds_t count, int timeout), from_ms(timeout), real(list, count, timeout))
POLLS(
    __poll_chk, (struct pollfd *list, nfds_t count, int timeout, size_t bytes), from_ms(timeout),
    real(list, count, timeout, bytes))
POLLS(
    ppoll, (struct pollfd *list, nfds_t count, const struct timespec *timeout, const sigset_t *mask),
    from_timespec(timeout), real(list, count, timeout, mask))
POLLS(
    __ppoll_chk,
    (struct pollfd *list, nfds_t count, const struct timespec *timeout, const sigset_t *mask, size_t bytes),
    from_timespec(timeout), real(list, count, timeout, mask, bytes))

// Copies a set of `count` descriptors. Returns 0 if it cannot be read: then the call fails.
static int copy_set(int count, const fd_set *set, fd_set *copy) {
  size_t words = ((size_t)count + NFDBITS - 1) / NFDBITS;
  FD_ZERO(copy);
  return set == NULL || rlp_read(set, copy, words * sizeof(fd_mask));
}

// The call changes its sets, so they are read before it.
static int are_sets_of_loop(int count, const fd_set *reads, const fd_set *writes) {
  fd_set read_copy, write_copy;
  int found = 0, most = count < FD_SETSIZE ? count : FD_SETSIZE;
  if (most <= 0 || !rlp_records_event_loops() || may_kill_reading()) return 0;
  if (!copy_set(most, reads, &read_copy) || !copy_set(most, writes, &write_copy)) return 0;
  for (int descriptor = 0; descriptor < most && found < 2; descriptor++)
    if (FD_ISSET(descriptor, &read_copy) || FD_ISSET(descriptor, &write_copy))
      found += rlp_is_wakeup(rlp_descriptor_of(descriptor)) ? 2 : 1;
  return found > 1;
}

#define SELECTS(name, parameters, timeout_ns, call) \
  REAL(name) \
  RLP_EXPORT int name parameters { \
    READ_CALLER(); \
    FIND_REAL(name, rlp_missing()); \
    int may_be_of_loop = is_place_of_loop(caller) || are_sets_of_loop(count, reads, writes); \
    if (!may_be_of_loop || !rlp_begin_wait(RLP_LIST_SET(caller), timeout_ns, caller)) return call; \
    int ready = call; \
    rlp_end_wait(ready, &(rlp_found){.reads = reads, .count = (nfds_t)count}); \
    return ready; \
  }

SELECTS(
    select, (int count, fd_set *reads, fd_set *writes, fd_set *errors, struct timeval *timeout),
    timeout == NULL ? UINT64_MAX : from_seconds(timeout->tv_sec, (long)timeout->tv_usec * 1000),
    real(count, reads, writes, errors, timeout))
SELECTS(
    pselect,
    (int count, fd_set *reads, fd_set *writes, fd_set *errors, const struct timespec *timeout, const sigset_t *mask),
    from_timespec(timeout), real(count, reads, writes, errors, timeout, mask))
