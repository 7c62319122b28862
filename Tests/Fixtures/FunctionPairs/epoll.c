// An epoll loop with two timerfds, whose callouts refresh and sync come in turn, 28 times each. The loop is recorded
// from the eighth wait on. tools/functions-check compares builds that differ in one of the amounts, which are macros:
// milliseconds, and 1 or 0 for the callout that calls check().
//
// At the end, prints a line for each function in a callout, as run_loop.swift does.
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 28, CHECK = 30, SYSTEM_ERROR = 71 };

static const int64_t ns_per_ms = 1000000;

static int checked(int result) {
  if (result >= 0) return result;
  perror("epoll");
  exit(SYSTEM_ERROR);
}

static int64_t clock_ns(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec * 1000 * ns_per_ms + now.tv_nsec;
}

// MARK: Functions

// Repeats a call of the library for MS milliseconds of the thread's processor time. A macro, so that each function is
// the program's innermost one.
#define REPEAT(MS, CALL)                                                         \
  do {                                                                           \
    int64_t end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + (MS) * ns_per_ms;          \
    struct timespec now;                                                         \
    do {                                                                         \
      for (int i = 0; i < 50; i++) CALL;                                         \
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);                              \
    } while (now.tv_sec * 1000 * ns_per_ms + now.tv_nsec < end);                 \
  } while (0)

static char text[64];

static void parse(void) { REPEAT(PARSE, strtod("3.14159265358979", NULL)); }

static void render(void) { REPEAT(RENDER, snprintf(text, sizeof text, "%.10f", i / 3.0)); }

static void check(void) { REPEAT(CHECK, strtoull("18446744073709551615", NULL, 10)); }

static void rest(void) {
  struct timespec left = {0, REST * ns_per_ms};
  while (nanosleep(&left, &left) != 0) continue;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t is_wanted, is_taken;

static void save(void) {
  sem_post(&is_wanted);
  while (sem_wait(&is_taken) != 0) continue;
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
}

// The thread that has the lock when save() needs it.
static void *hold_lock(void *unused) {
  while (1) {
    struct timespec left = {0, SAVE * ns_per_ms};
    while (sem_wait(&is_wanted) != 0) continue;
    pthread_mutex_lock(&mutex);
    sem_post(&is_taken);
    while (nanosleep(&left, &left) != 0) continue;
    pthread_mutex_unlock(&mutex);
  }
  return unused;
}

// MARK: Callouts

struct measured {
  const char *name;
  void (*function)(void);
  int calls;
  int64_t wall_ns, cpu_ns;
};

static struct measured refreshes[] = {{.name = "refresh parse", .function = parse},
                                      {.name = "refresh save", .function = save},
                                      {.name = "refresh check", .function = CHECK_IN_REFRESH ? check : NULL}};
static struct measured syncs[] = {{.name = "sync render", .function = render},
                                  {.name = "sync rest", .function = rest},
                                  {.name = "sync check", .function = CHECK_IN_SYNC ? check : NULL}};
enum { FUNCTIONS = sizeof refreshes / sizeof *refreshes };

static void measure(struct measured *each) {
  if (each->function == NULL) return;
  int64_t wall = clock_ns(CLOCK_MONOTONIC), cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  each->function();
  each->calls += 1;
  each->cpu_ns += clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu;
  each->wall_ns += clock_ns(CLOCK_MONOTONIC) - wall;
}

// Pauses of 10 to 30 ms vary, so that samples come at different times of the callouts.
static void start(int timer) {
  struct itimerspec time = {.it_value.tv_nsec = 10 * ns_per_ms + clock_ns(CLOCK_MONOTONIC) % (20 * ns_per_ms)};
  checked(timerfd_settime(timer, 0, &time, NULL));
}

static void take(int timer) {
  uint64_t count;
  checked((int)read(timer, &count, sizeof count));
}

static void refresh(int timer, int next) {
  take(timer);
  for (int i = 0; i < FUNCTIONS; i++) measure(&refreshes[i]);
  start(next);
}

static void sync_all(int timer, int next) {
  take(timer);
  for (int i = 0; i < FUNCTIONS; i++) measure(&syncs[i]);
  start(next);
}

static void print(const struct measured *each) {
  if (each->calls == 0) return;
  printf("measured %s %d %lld %lld\n", each->name, each->calls, (long long)each->wall_ns, (long long)each->cpu_ns);
}

static int add_timer(int set) {
  int timer = checked(timerfd_create(CLOCK_MONOTONIC, 0));
  struct epoll_event event = {.events = EPOLLIN, .data.fd = timer};
  checked(epoll_ctl(set, EPOLL_CTL_ADD, timer, &event));
  return timer;
}

int main(void) {
  pthread_t thread;
  sem_init(&is_wanted, 0, 0);
  sem_init(&is_taken, 0, 0);
  if (pthread_create(&thread, NULL, hold_lock, NULL) != 0) return SYSTEM_ERROR;
  int set = checked(epoll_create1(0)), refreshing = add_timer(set), syncing = add_timer(set);
  start(refreshing);
  for (int callouts = 0; callouts < 2 * ROUNDS;) {
    struct epoll_event found;
    if (epoll_wait(set, &found, 1, -1) != 1) continue;
    if (found.data.fd == refreshing) refresh(refreshing, syncing);
    else sync_all(syncing, refreshing);
    callouts += 1;
  }
  for (int i = 0; i < FUNCTIONS; i++) print(&refreshes[i]);
  for (int i = 0; i < FUNCTIONS; i++) print(&syncs[i]);
  return 0;
}
