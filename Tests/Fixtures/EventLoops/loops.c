// loops COMMAND: programs that wait for descriptors without the help of a library. None of them blocks an event loop.
//
//   pool      four threads wait for one epoll set, and each rests for 150 ms now and then
//   many      1,000 threads with a loop each, for 3 s
//   client    polls one socket 10,000 times
//   pauses    pauses 200 times with select, and 200 times with poll
//   children  a loop whose callbacks call fork, vfork and posix_spawn
//   ends      a thread that ends inside its loop; then the program rests for 400 ms
//
// Exit status: 0, 64 if there is no such command, 71 if a system call failed.
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../EventLoopPrograms/programs.h"

enum { NO_COMMAND = 64 };

// MARK: A pool

enum { WORKERS = 4, TASKS = 800, TASKS_PER_REST = 50 };

static struct {
  int set, event;
  atomic_int left;
} pool;

static void *work(void *unused) {
  (void)unused;
  for (int done = 1; atomic_load(&pool.left) > 0; done++) {
    struct epoll_event found;
    if (epoll_wait(pool.set, &found, 1, 20) > 0 && taken(pool.event) != 0) atomic_fetch_sub(&pool.left, 1);
    if (done % TASKS_PER_REST == 0) rest(150);
  }
  return NULL;
}

static void run_pool(void) {
  pthread_t workers[WORKERS];
  pool.set = checked(epoll_create1(0));
  pool.event = checked(eventfd(0, EFD_SEMAPHORE | EFD_NONBLOCK));
  add(pool.set, pool.event);
  atomic_store(&pool.left, TASKS);
  for (int i = 0; i < WORKERS; i++) start(&workers[i], work, NULL);
  while (atomic_load(&pool.left) > 0) {
    checked(eventfd_write(pool.event, 1));
    rest(1);
  }
  for (int i = 0; i < WORKERS; i++) pthread_join(workers[i], NULL);
}

// MARK: Many loops

enum { LOOPS = 1000, PASSES = 150, LIMIT_MS = 20, STACK_BYTES = 128 << 10 };

static void *run_loop(void *unused) {
  (void)unused;
  int set = checked(epoll_create1(0)), event = checked(eventfd(0, EFD_NONBLOCK));
  add(set, event);
  for (int i = 0; i < PASSES; i++) {
    struct epoll_event found;
    epoll_wait(set, &found, 1, LIMIT_MS);
  }
  close(set);
  close(event);
  return NULL;
}

static void run_many(void) {
  static pthread_t threads[LOOPS];
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, STACK_BYTES);
  for (int i = 0; i < LOOPS; i++)
    if (pthread_create(&threads[i], &small, run_loop, NULL) != 0) exit(SYSTEM_ERROR);
  for (int i = 0; i < LOOPS; i++) pthread_join(threads[i], NULL);
}

// MARK: No loop

enum { ANSWERS = 10000, PAUSES = 200, PAUSE_MS = 5 };

static void *answer_all(void *listener) {
  int accepted = checked(accept(*(const int *)listener, NULL, NULL));
  for (int i = 0; i < ANSWERS; i++) {
    char byte;
    checked((int)recv(accepted, &byte, 1, MSG_WAITALL));
    checked((int)send(accepted, &byte, 1, MSG_NOSIGNAL));
  }
  close(accepted);
  return NULL;
}

static void run_client(void) {
  connection made;
  connect_to(&made, answer_all);
  for (int i = 0; i < ANSWERS; i++) {
    struct pollfd list = {.fd = made.client, .events = POLLIN};
    char byte = 0;
    checked((int)send(made.client, &byte, 1, MSG_NOSIGNAL));
    checked(poll(&list, 1, 1000));
    checked((int)recv(made.client, &byte, 1, 0));
  }
  end_connection(&made);
}

static void run_pauses(void) {
  for (int i = 0; i < PAUSES; i++) {
    struct timeval limit = {0, PAUSE_MS * 1000};
    checked(select(0, NULL, NULL, NULL, &limit));
  }
  for (int i = 0; i < PAUSES; i++) checked(poll(NULL, 0, PAUSE_MS));
}

// MARK: A loop with a timer

// Calls a function with the number of each pass.
static void run_timer_loop(int passes, void (*callback)(int pass, int set)) {
  int set = checked(epoll_create1(0)), timer = checked(timerfd_create(CLOCK_MONOTONIC, 0));
  struct itimerspec every = {.it_interval = of_ms(10), .it_value = of_ms(10)};
  checked(timerfd_settime(timer, 0, &every, NULL));
  add(set, timer);
  for (int pass = 0; pass < passes; pass++) {
    struct epoll_event found;
    if (epoll_wait(set, &found, 1, -1) <= 0 || taken(timer) == 0) continue;
    callback(pass, set);
  }
  close(set);
  close(timer);
}

extern char **environ;
static char *const true_words[] = {"true", NULL};

static pid_t forked(int set) {
  pid_t child = fork();
  if (child != 0) return child;
  close(set);
  _exit(0);
}

// The child closes its own descriptor, but writes to the memory of its parent.
__attribute__((noinline)) static pid_t vforked(int set) {
  pid_t child = vfork();
  if (child != 0) return child;
  close(set);
  execve("/bin/true", true_words, environ);
  _exit(127);
}

static pid_t spawned(void) {
  pid_t child;
  return posix_spawn(&child, "/bin/true", NULL, NULL, true_words, environ) == 0 ? child : -1;
}

static void make_child(int pass, int set) {
  pid_t child = 0;
  switch (pass % 30) {
  case 10: child = forked(set); break;
  case 15: child = vforked(set); break;
  case 20: child = spawned(); break;
  default: return;
  }
  checked(child);
  checked(waitpid(child, NULL, 0));
}

static void end_thread(int pass, int set) {
  (void)set;
  if (pass == 50) pthread_exit(NULL);
}

static void *run_until_end(void *unused) {
  (void)unused;
  run_timer_loop(100, end_thread);
  return NULL;
}

static void run_ends(void) {
  pthread_t thread;
  start(&thread, run_until_end, NULL);
  pthread_join(thread, NULL);
  rest(400);
}

int main(int count, char **words) {
  const char *command = count == 2 ? words[1] : "";
  if (strcmp(command, "pool") == 0) run_pool();
  else if (strcmp(command, "many") == 0) run_many();
  else if (strcmp(command, "client") == 0) run_client();
  else if (strcmp(command, "pauses") == 0) run_pauses();
  else if (strcmp(command, "children") == 0) run_timer_loop(150, make_child);
  else if (strcmp(command, "ends") == 0) run_ends();
  else {
    fputs("usage: loops pool|many|client|pauses|children|ends\n", stderr);
    return NO_COMMAND;
  }
  return 0;
}
