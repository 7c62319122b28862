// The calls with which event loops wait.
#include "event_loops.h"
#include "interposing.h"
#include "wakeups.h"

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

// `call` calls the program's own function as `real`.
#define EPOLL_WAITS(name, parameters, timeout_ns, call) \
  REAL(name) \
  RLP_EXPORT int name parameters { \
    READ_CALLER(); \
    FIND_REAL(name, rlp_missing()); \
    if (!rlp_begin_wait(RLP_EPOLL_SET(set), timeout_ns, caller)) return call; \
    int ready = call; \
    rlp_end_wait(ready); \
    if (ready > 0) rlp_serve_events(events, ready); \
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
    from_timespec(timeout), real(set, events, most, timeout, mask))

// A loop's list has several descriptors, or one that other threads write to in order to wake the loop. A client waits
// for one.
static int is_list_of_loop(const struct pollfd *list, nfds_t count) {
  return count > 1 || (count == 1 && rlp_is_wakeup(rlp_descriptor_of(list[0].fd)));
}

#define POLLS(name, parameters, timeout_ns, call) \
  REAL(name) \
  RLP_EXPORT int name parameters { \
    READ_CALLER(); \
    FIND_REAL(name, rlp_missing()); \
    if (!is_list_of_loop(list, count) || !rlp_begin_wait(RLP_LIST_SET(caller), timeout_ns, caller)) return call; \
    int ready = call; \
    rlp_end_wait(ready); \
    if (ready > 0) rlp_serve_list(list, count); \
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

static int are_sets_of_loop(int count, const fd_set *reads, const fd_set *writes) {
  int found = 0;
  for (int descriptor = 0; descriptor < count && descriptor < FD_SETSIZE && found < 2; descriptor++)
    if ((reads != NULL && FD_ISSET(descriptor, reads)) || (writes != NULL && FD_ISSET(descriptor, writes)))
      found += rlp_is_wakeup(rlp_descriptor_of(descriptor)) ? 2 : 1;
  return found > 1;
}

#define SELECTS(name, parameters, timeout_ns, call) \
  REAL(name) \
  RLP_EXPORT int name parameters { \
    READ_CALLER(); \
    FIND_REAL(name, rlp_missing()); \
    if (!are_sets_of_loop(count, reads, writes) || !rlp_begin_wait(RLP_LIST_SET(caller), timeout_ns, caller)) \
      return call; \
    int ready = call; \
    rlp_end_wait(ready); \
    if (ready > 0) rlp_serve_sets(count, reads); \
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
