// event-loop-programs COMMAND: programs that wait for file descriptors, without any reference to their recording.
//
//   epoll    a loop with epoll: a timerfd every 10 ms, and an eventfd that another thread writes to every 20 ms. One
//            callback sleeps for 120 ms
//   poll     a loop with poll: a pipe and an eventfd. One callback sleeps for 120 ms
//   select   the same with select
//   healthy  like epoll, without the sleep
//   child    like epoll, but the callback waits for a child that sleeps for 120 ms
//   client   polls one socket 200 times
//   pool     two threads wait for one epoll set, and rest for 400 ms in between
//   twice    a loop, 400 ms of computing after its epoll set was closed, and another loop
//   dispatch a loop of a thread with the name of Dispatch's threads
//   small    waits for an epoll set on a stack of 4 KB, then on the usual one
//   forked   a loop forks a child, which closes the epoll set and has a loop of its own, like epoll
//   workers  a loop with two children that answer over pairs of sockets: one at once, the other after 200 ms
//   waits    callbacks compute for 100 ms and then wait for 30 ms, each in another way. Another thread sends the
//            recorder's signal meanwhile. A wait that ends early is printed
//   hidden   callbacks wait for 150 ms in the same ways, without that signal. The process hides where its threads sleep
//   masked   blocks all signals, and prints those that a signalfd returns. Some callbacks of a timer compute for 150 ms
//   shallow  the same callbacks, in a program with a signal stack of 2 KB
//   filtered the same callbacks. One of them forbids most system calls
//   confined the same, for all threads, by the call seccomp(2)
//   guarded  the same, before the eighth wait of the loop
//   numbers  the same callbacks, which also make descriptors. Prints the first one without the lowest free number
//
// Exit status: 0, 64 if there is no such command, 71 if a system call failed.
#ifdef __linux__
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "programs.h"
#include "restrictions.h"
#include "timed_waits.h"

enum { SIGNALS = 30, BYTES = 200, NO_COMMAND = 64 };

// The planted fault.
__attribute__((noinline)) static void sleep_in_callback(void) {
  struct timespec left = of_ms(120);
  while (nanosleep(&left, &left) != 0) continue;
}

__attribute__((noinline)) static void wait_for_child(void) {
  pid_t child = checked(fork());
  if (child == 0) {
    rest(120);
    _exit(0);
  }
  int status;
  checked(waitpid(child, &status, 0));
  if (status != 0) exit(SYSTEM_ERROR);
}

static void wake(int descriptor) {
  const uint64_t one = 1;
  if (write(descriptor, &one, sizeof one) != sizeof one) exit(SYSTEM_ERROR);
}

// Wakes another thread every 20 ms, through two descriptors in turn.
static void *wake_repeatedly(void *descriptors) {
  for (int i = 0; i < SIGNALS; i++) {
    rest(20);
    wake(((const int *)descriptors)[i % 2]);
  }
  return NULL;
}

// MARK: Loops

static void serve_with_epoll(void (*fault)(void)) {
  int set = checked(epoll_create1(0)), timer = checked(timerfd_create(CLOCK_MONOTONIC, 0));
  int event = checked(eventfd(0, 0)), descriptors[2] = {event, event};
  struct itimerspec every = {.it_interval = of_ms(10), .it_value = of_ms(10)};
  checked(timerfd_settime(timer, 0, &every, NULL));
  add(set, timer);
  add(set, event);
  pthread_t waker;
  start(&waker, wake_repeatedly, descriptors);
  uint64_t signals = 0;
  while (signals < SIGNALS) {
    struct epoll_event found[4];
    int ready = epoll_wait(set, found, 4, -1);
    for (int i = 0; i < ready; i++) {
      uint64_t count = taken(found[i].data.fd);
      if (found[i].data.fd != event) continue;
      signals += count;
      if (fault != NULL && signals > SIGNALS / 2) {
        fault();
        fault = NULL;
      }
    }
  }
  close(set);
  pthread_join(waker, NULL);
  close(timer);
  close(event);
}

// Waits with `wait` until one of two descriptors can be read, and notes which.
static void serve_list(void (*wait)(const int descriptors[2], int is_ready[2])) {
  int pipe_ends[2];
  checked(pipe(pipe_ends));
  int event = checked(eventfd(0, 0)), readers[2] = {pipe_ends[0], event}, writers[2] = {pipe_ends[1], event};
  pthread_t waker;
  start(&waker, wake_repeatedly, writers);
  uint64_t signals = 0;
  int sleeps = 1;
  while (signals < SIGNALS) {
    int is_ready[2] = {0, 0};
    wait(readers, is_ready);
    for (int i = 0; i < 2; i++)
      if (is_ready[i]) signals += taken(readers[i]);
    if (!sleeps || signals <= SIGNALS / 2) continue;
    sleep_in_callback();
    sleeps = 0;
  }
  pthread_join(waker, NULL);
}

static void wait_with_poll(const int descriptors[2], int is_ready[2]) {
  struct pollfd list[2] = {{.fd = descriptors[0], .events = POLLIN}, {.fd = descriptors[1], .events = POLLIN}};
  if (poll(list, 2, -1) <= 0) return;
  for (int i = 0; i < 2; i++) is_ready[i] = (list[i].revents & POLLIN) != 0;
}

static void wait_with_select(const int descriptors[2], int is_ready[2]) {
  fd_set reads;
  FD_ZERO(&reads);
  for (int i = 0; i < 2; i++) FD_SET(descriptors[i], &reads);
  int greatest = descriptors[0] > descriptors[1] ? descriptors[0] : descriptors[1];
  if (select(greatest + 1, &reads, NULL, NULL, NULL) <= 0) return;
  for (int i = 0; i < 2; i++) is_ready[i] = FD_ISSET(descriptors[i], &reads) != 0;
}

// MARK: Children

// Returns an epoll set with a timer that fires every 10 ms.
static int make_ticking_set(int *timer) {
  int set = checked(epoll_create1(0));
  *timer = checked(timerfd_create(CLOCK_MONOTONIC, 0));
  struct itimerspec every = {.it_interval = of_ms(10), .it_value = of_ms(10)};
  checked(timerfd_settime(*timer, 0, &every, NULL));
  add(set, *timer);
  return set;
}

static void wait_for_children(void) {
  while (wait(NULL) > 0 || errno == EINTR) continue;
}

static void fork_in_loop(void) {
  int timer, set = make_ticking_set(&timer);
  for (int i = 0; i < 40; i++) {
    struct epoll_event found;
    if (epoll_wait(set, &found, 1, -1) > 0) taken(timer);
    if (i != 20 || checked(fork()) != 0) continue;
    close(set);
    serve_with_epoll(sleep_in_callback);
    _exit(0);
  }
  wait_for_children();
}

// Returns the end of the parent.
static int start_worker(int delay_ms) {
  int ends[2];
  checked(socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
  if (checked(fork()) == 0) {
    close(ends[0]);
    char byte;
    while (read(ends[1], &byte, 1) == 1) {
      rest(delay_ms);
      if (write(ends[1], "r", 1) != 1) break;
    }
    _exit(0);
  }
  close(ends[1]);
  return ends[0];
}

static void serve_workers(void) {
  int workers[2] = {start_worker(0), start_worker(200)}, timer, set = make_ticking_set(&timer);
  for (int i = 0; i < 2; i++) add(set, workers[i]);
  for (int ticks = 0; ticks < 80;) {
    struct epoll_event found[4];
    int ready = epoll_wait(set, found, 4, -1);
    for (int i = 0; i < ready; i++) {
      char byte;
      if (found[i].data.fd != timer) {
        checked((int)read(found[i].data.fd, &byte, 1));
        continue;
      }
      taken(timer);
      ticks += 1;
      if (ticks % 5 == 0) checked((int)write(workers[0], "j", 1));
      if (ticks % 40 == 1) checked((int)write(workers[1], "j", 1));
    }
  }
  for (int i = 0; i < 2; i++) close(workers[i]);
  wait_for_children();
}

// MARK: Stacks

static struct {
  int set, timer;
  ucontext_t usual, small;
} coroutine;

static void wait_for_timer(void) {
  for (int i = 0; i < 20; i++) {
    struct epoll_event found;
    if (epoll_wait(coroutine.set, &found, 1, -1) > 0) taken(coroutine.timer);
  }
}

// A stack that is too small for most functions of the C library. Below it is memory that cannot be accessed.
static void wait_on_small_stack(void) {
  const size_t page = 4096;
  char *memory = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) exit(SYSTEM_ERROR);
  checked(mprotect(memory, page, PROT_NONE));
  coroutine.set = checked(epoll_create1(0));
  coroutine.timer = checked(timerfd_create(CLOCK_MONOTONIC, 0));
  struct itimerspec every = {.it_interval = of_ms(5), .it_value = of_ms(5)};
  checked(timerfd_settime(coroutine.timer, 0, &every, NULL));
  add(coroutine.set, coroutine.timer);
  // The loader looks both functions up on the usual stack.
  struct epoll_event found;
  checked(epoll_wait(coroutine.set, &found, 1, -1));
  taken(coroutine.timer);
  checked(getcontext(&coroutine.small));
  coroutine.small.uc_stack.ss_sp = memory + page;
  coroutine.small.uc_stack.ss_size = page;
  coroutine.small.uc_link = &coroutine.usual;
  makecontext(&coroutine.small, wait_for_timer, 0);
  checked(swapcontext(&coroutine.usual, &coroutine.small));
  wait_for_timer();
}

// MARK: No loops

static void *serve_as_dispatch(void *unused) {
  (void)unused;
  pthread_setname_np(pthread_self(), "-qos.overcommit");
  serve_with_epoll(NULL);
  return NULL;
}

static void *send_bytes(void *listener) {
  int accepted = checked(accept(*(const int *)listener, NULL, NULL));
  for (int i = 0; i < BYTES; i++) {
    rest(1);
    checked((int)send(accepted, "x", 1, MSG_NOSIGNAL));
  }
  close(accepted);
  return NULL;
}

static void poll_one_socket(void) {
  connection made;
  connect_to(&made, send_bytes);
  int received = 0;
  while (received < BYTES) {
    struct pollfd list = {.fd = made.client, .events = POLLIN};
    char byte;
    if (poll(&list, 1, 1000) > 0) received += checked((int)recv(made.client, &byte, 1, 0));
  }
  end_connection(&made);
}

static struct {
  int set, event;
  atomic_int working;
} pool;

static void take_work(int times) {
  for (int i = 0; i < times; i++) {
    struct epoll_event found;
    if (epoll_wait(pool.set, &found, 1, -1) > 0) taken(pool.event);
  }
}

// Waits for a condition that no thread signals.
static void rest_on_condition(int ms) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += ms * 1000000L;
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  pthread_mutex_lock(&lock);
  while (pthread_cond_timedwait(&never, &lock, &until) != ETIMEDOUT) continue;
  pthread_mutex_unlock(&lock);
}

static void work_and_rest(void) {
  for (int i = 0; i < 3; i++) {
    rest_on_condition(400);
    take_work(10);
  }
  atomic_fetch_sub(&pool.working, 1);
}

static void *work_second(void *unused) {
  (void)unused;
  take_work(10);
  work_and_rest();
  return NULL;
}

// Has a loop until the second thread waits for the same set.
static void *work_first(void *unused) {
  (void)unused;
  pthread_setname_np(pthread_self(), "worker");
  take_work(20);
  pthread_t second;
  start(&second, work_second, NULL);
  work_and_rest();
  pthread_join(second, NULL);
  return NULL;
}

static void run_pool(void) {
  pool.set = checked(epoll_create1(0));
  pool.event = checked(eventfd(0, EFD_SEMAPHORE | EFD_NONBLOCK));
  add(pool.set, pool.event);
  atomic_store(&pool.working, 2);
  pthread_t first;
  start(&first, work_first, NULL);
  while (atomic_load(&pool.working) > 0) {
    rest(5);
    wake(pool.event);
  }
  pthread_join(first, NULL);
}

int main(int count, char **words) {
  const char *command = count == 2 ? words[1] : "";
  if (strcmp(command, "epoll") == 0) {
    serve_with_epoll(sleep_in_callback);
  } else if (strcmp(command, "poll") == 0) {
    serve_list(wait_with_poll);
  } else if (strcmp(command, "select") == 0) {
    serve_list(wait_with_select);
  } else if (strcmp(command, "healthy") == 0) {
    serve_with_epoll(NULL);
  } else if (strcmp(command, "child") == 0) {
    serve_with_epoll(wait_for_child);
  } else if (strcmp(command, "client") == 0) {
    poll_one_socket();
  } else if (strcmp(command, "pool") == 0) {
    run_pool();
  } else if (strcmp(command, "twice") == 0) {
    serve_with_epoll(NULL);
    compute(400);
    serve_with_epoll(NULL);
  } else if (strcmp(command, "dispatch") == 0) {
    pthread_t thread;
    start(&thread, serve_as_dispatch, NULL);
    pthread_join(thread, NULL);
  } else if (strcmp(command, "small") == 0) {
    wait_on_small_stack();
  } else if (strcmp(command, "forked") == 0) {
    fork_in_loop();
  } else if (strcmp(command, "workers") == 0) {
    serve_workers();
  } else if (strcmp(command, "waits") == 0) {
    wait_in_callbacks(30, 1);
  } else if (strcmp(command, "hidden") == 0) {
    hide_threads();
    wait_in_callbacks(150, 0);
  } else if (strcmp(command, "masked") == 0) {
    block_signals();
  } else if (strcmp(command, "shallow") == 0) {
    use_small_signal_stack();
  } else if (strcmp(command, "filtered") == 0) {
    filter_calls(0, 1);
  } else if (strcmp(command, "confined") == 0) {
    filter_calls(1, 1);
  } else if (strcmp(command, "guarded") == 0) {
    filter_calls(1, 0);
  } else if (strcmp(command, "numbers") == 0) {
    number_descriptors();
  } else {
    fputs(
        "usage: event-loop-programs epoll|poll|select|healthy|child|client|pool|twice|dispatch|small|forked|workers|"
        "waits|hidden|masked|shallow|filtered|confined|guarded|numbers\n",
        stderr);
    return NO_COMMAND;
  }
  puts("end");
  return 0;
}
#else
int main(void) { return 64; }
#endif
