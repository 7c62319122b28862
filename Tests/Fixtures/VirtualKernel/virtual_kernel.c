#define _GNU_SOURCE
#include "virtual_kernel.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { DESCRIPTORS = 4096, TIMEOUTS = 256, ACTIONS = 4096 };

typedef struct {
  void *source;  // a dispatch source
  void *handler;
  uint64_t at;  // 0 = not set
  uint64_t number;
} timeout;

typedef struct {
  uint64_t at, number;
  void (*action)(void *);
  void *context;
} moment;

// The world of one thread.
typedef struct {
  uint64_t now, count;
  int64_t wall;
  int waits_forever;
  timeout timeouts[TIMEOUTS];
  moment moments[ACTIONS];
  int moment_count;
  char is_mine[DESCRIPTORS];
} world;

static __thread world *here;

// Timer descriptors are event descriptors here. They outlive worlds: a loop closes its own after its thread has
// ended.
static uint64_t expiry[DESCRIPTORS], expiry_number[DESCRIPTORS];
static char is_timer[DESCRIPTORS];

static void *real(const char *name) {
  void *found = dlsym(RTLD_NEXT, name);
  if (found == NULL) {
    fprintf(stderr, "virtual kernel: no %s\n", name);
    abort();
  }
  return found;
}

// Looks up the function that this one replaces.
#define REAL(name) \
  static __typeof__(&name) found_; \
  __typeof__(&name) real_ = __atomic_load_n(&found_, __ATOMIC_RELAXED); \
  if (real_ == NULL) __atomic_store_n(&found_, real_ = (__typeof__(&name))real(#name), __ATOMIC_RELAXED)

void vk_begin(uint64_t now_ns, int64_t wall_ns) {
  here = calloc(1, sizeof *here);
  if (here == NULL) abort();
  here->now = now_ns;
  here->wall = wall_ns;
}

void vk_end(void) {
  free(here);
  here = NULL;
}

void *vk_world(void) { return here; }
void vk_enter(void *world) { here = world; }

uint64_t vk_now(void) { return here->now; }
int vk_waits_forever(void) { return here->waits_forever; }

void vk_at(uint64_t at_ns, void (*action)(void *), void *context) {
  if (here->moment_count == ACTIONS) abort();
  here->moments[here->moment_count++] = (moment){at_ns, ++here->count, action, context};
}

// MARK: Pending events

// Lets the next event up to `limit` happen. The order at equal times is: other threads, timers, ends of runs.
static int happen(uint64_t limit) {
  uint64_t at = UINT64_MAX, number = 0;
  moment *action = NULL;
  timeout *end = NULL;
  int descriptor = -1;
  for (int i = 0; i < here->moment_count; i++) {
    moment *next = &here->moments[i];
    if (next->action != NULL && (next->at < at || (next->at == at && next->number < number)))
      at = next->at, number = next->number, action = next;
  }
  for (int i = 0; i < DESCRIPTORS; i++)
    if (here->is_mine[i] && is_timer[i] && expiry[i] != 0
        && (expiry[i] < at || (expiry[i] == at && descriptor >= 0 && expiry_number[i] < number)))
      at = expiry[i], number = expiry_number[i], descriptor = i, action = NULL;
  for (int i = 0; i < TIMEOUTS; i++) {
    timeout *next = &here->timeouts[i];
    if (next->source != NULL && next->at != 0
        && (next->at < at || (next->at == at && end != NULL && next->number < number)))
      at = next->at, number = next->number, end = next, descriptor = -1, action = NULL;
  }
  if (at > limit || (action == NULL && descriptor < 0 && end == NULL)) return 0;
  if (at > here->now) here->now = at;
  if (action != NULL) {
    void (*body)(void *) = action->action;
    action->action = NULL;
    body(action->context);
  } else if (descriptor >= 0) {
    expiry[descriptor] = 0;
    uint64_t one = 1;
    if (write(descriptor, &one, sizeof one) < 0) abort();
  } else {
    end->at = 0;
    // A block: its function is at offset 16.
    void (*invoke)(void *) = *(void (**)(void *))((char *)end->handler + 16);
    invoke(end->handler);
  }
  return 1;
}

void vk_advance(uint64_t ns) {
  uint64_t end = here->now + ns;
  while (happen(end)) continue;
  if (end > here->now) here->now = end;
}

// MARK: The C library

int clock_gettime(clockid_t clock, struct timespec *time) {
  REAL(clock_gettime);
  if (here == NULL || (clock != CLOCK_MONOTONIC && clock != CLOCK_REALTIME)) return real_(clock, time);
  int64_t ns = (int64_t)here->now + (clock == CLOCK_REALTIME ? here->wall : 0);
  *time = (struct timespec){ns / 1000000000, ns % 1000000000};
  return 0;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  REAL(gettimeofday);
  if (here == NULL) return real_(time, zone);
  int64_t ns = (int64_t)here->now + here->wall;
  *time = (struct timeval){ns / 1000000000, ns % 1000000000 / 1000};
  return 0;
}

int timerfd_create(int clock, int flags) {
  REAL(timerfd_create);
  if (here == NULL) return real_(clock, flags);
  int descriptor = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (descriptor < 0 || descriptor >= DESCRIPTORS) abort();
  is_timer[descriptor] = 1;
  here->is_mine[descriptor] = 1;
  expiry[descriptor] = 0;
  return descriptor;
}

int timerfd_settime(int descriptor, int flags, const struct itimerspec *new, struct itimerspec *old) {
  REAL(timerfd_settime);
  if (here == NULL || descriptor < 0 || descriptor >= DESCRIPTORS || !here->is_mine[descriptor])
    return real_(descriptor, flags, new, old);
  uint64_t ticks, one = 1;
  int saved = errno;
  // Arming the timer drops an expiry that was not read.
  (void)!read(descriptor, &ticks, sizeof ticks);
  errno = saved;
  uint64_t at = (uint64_t)new->it_value.tv_sec * 1000000000u + (uint64_t)new->it_value.tv_nsec;
  if (at != 0 && !(flags & TFD_TIMER_ABSTIME)) at += here->now;
  expiry[descriptor] = at;
  expiry_number[descriptor] = ++here->count;
  if (at != 0 && at <= here->now) {
    expiry[descriptor] = 0;
    if (write(descriptor, &one, sizeof one) < 0) abort();
  }
  return 0;
}

int ppoll(struct pollfd *descriptors, nfds_t count, const struct timespec *timeout, const sigset_t *mask) {
  REAL(ppoll);
  if (here == NULL) return real_(descriptors, count, timeout, mask);
  int looks_once = timeout != NULL && timeout->tv_sec == 0 && timeout->tv_nsec == 0;
  while (1) {
    static const struct timespec at_once;
    int ready = real_(descriptors, count, &at_once, mask);
    if (ready != 0 || looks_once) return ready;
    if (!happen(UINT64_MAX)) {
      here->waits_forever = 1;
      return 0;
    }
  }
}

// MARK: The dispatch library: ends of runs

static timeout *timeout_of(void *source) {
  for (int i = 0; i < TIMEOUTS; i++)
    if (here->timeouts[i].source == source) return &here->timeouts[i];
  return NULL;
}

void *dispatch_source_create(const void *type, uintptr_t handle, uintptr_t mask, void *queue) {
  REAL(dispatch_source_create);
  void *source = real_(type, handle, mask, queue);
  if (here == NULL) return source;
  timeout *free_place = timeout_of(NULL);
  if (free_place == NULL) abort();
  *free_place = (timeout){.source = source};
  return source;
}

void dispatch_source_set_event_handler(void *source, void *handler) {
  REAL(dispatch_source_set_event_handler);
  extern void *_Block_copy(const void *);
  timeout *known = here == NULL ? NULL : timeout_of(source);
  if (known != NULL) known->handler = _Block_copy(handler);
  else real_(source, handler);
}

void dispatch_source_set_timer(void *source, uint64_t start, uint64_t interval, uint64_t leeway) {
  REAL(dispatch_source_set_timer);
  timeout *known = here == NULL ? NULL : timeout_of(source);
  if (known == NULL) {
    real_(source, start, interval, leeway);
    return;
  }
  // The timer fires as late as its leeway allows.
  known->at = start + leeway;
  known->number = ++here->count;
}

void dispatch_source_cancel(void *source) {
  REAL(dispatch_source_cancel);
  extern void _Block_release(const void *);
  timeout *known = here == NULL ? NULL : timeout_of(source);
  if (known != NULL) {
    if (known->handler != NULL) _Block_release(known->handler);
    known->source = NULL;
  }
  real_(source);
}

// CFRunLoop asks for the absolute monotonic time `ns`, with 1 as the base.
uint64_t dispatch_time(uint64_t base, int64_t ns) {
  REAL(dispatch_time);
  return here == NULL ? real_(base, ns) : base == 1 ? (uint64_t)ns : here->now + (uint64_t)ns;
}
