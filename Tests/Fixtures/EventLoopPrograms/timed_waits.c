#ifdef __linux__
#define _GNU_SOURCE
#include "timed_waits.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "programs.h"

enum { NOBODY = 65534 };

// Objects that never become ready: the socket `ends[0]` gets no byte and has no room for one.
static struct {
  int ends[2], listener;
  sem_t semaphore;
} never;

static void set_limits(int socket, int ms) {
  struct timeval limit = {ms / 1000, ms % 1000 * 1000};
  checked(setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit));
  checked(setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit));
}

static void prepare_waits(int ms) {
  checked(socketpair(AF_UNIX, SOCK_STREAM, 0, never.ends));
  while (send(never.ends[0], "x", 1, MSG_DONTWAIT) == 1) continue;
  never.listener = checked(socket(AF_INET, SOCK_STREAM, 0));
  checked(listen(never.listener, 1));
  set_limits(never.ends[0], ms);
  set_limits(never.listener, ms);
  checked(sem_init(&never.semaphore, 0, 0));
}

static const char *const ways[] = {
    "nanosleep", "clock_nanosleep", "poll", "ppoll", "select", "pselect", "sem_clockwait", "sigtimedwait", "read",
    "recv", "recvfrom", "recvmsg", "accept", "send"};
enum { WAYS = sizeof ways / sizeof *ways };

// Waits in one way. Returns whether a signal ended the wait.
static int wait_in_one_way(int way, int ms) {
  struct timespec limit = of_ms(ms), until;
  struct timeval time = {ms / 1000, ms % 1000 * 1000};
  struct pollfd list = {.fd = never.ends[0], .events = POLLIN};
  char byte;
  struct iovec room = {&byte, 1};
  struct msghdr message = {.msg_iov = &room, .msg_iovlen = 1};
  fd_set reads;
  sigset_t signals;
  long result = -1;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += ms * 1000000L;
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  FD_ZERO(&reads);
  FD_SET(never.ends[0], &reads);
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR2);
  switch (way) {
    case 0: result = nanosleep(&limit, NULL); break;
    case 1: errno = clock_nanosleep(CLOCK_MONOTONIC, 0, &limit, NULL); break;
    case 2: result = poll(&list, 1, ms); break;
    case 3: result = ppoll(&list, 1, &limit, NULL); break;
    case 4: result = select(never.ends[0] + 1, &reads, NULL, NULL, &time); break;
    case 5: result = pselect(never.ends[0] + 1, &reads, NULL, NULL, &limit, NULL); break;
    case 6: result = sem_clockwait(&never.semaphore, CLOCK_MONOTONIC, &until); break;
    case 7: result = sigtimedwait(&signals, NULL, &limit); break;
    case 8: result = read(never.ends[0], &byte, 1); break;
    case 9: result = recv(never.ends[0], &byte, 1, 0); break;
    case 10: result = recvfrom(never.ends[0], &byte, 1, 0, NULL, NULL); break;
    case 11: result = recvmsg(never.ends[0], &message, 0); break;
    case 12: result = accept(never.listener, NULL, NULL); break;
    default: result = send(never.ends[0], "x", 1, MSG_NOSIGNAL); break;
  }
  return result < 0 && errno == EINTR;
}

static struct {
  sem_t begins;
  pthread_t waiting;
} interrupted;

// Sends the recorder's signal during each wait. It has no effect unless the recorder handles it. The recorder resumes a
// call if the code before it shows the call's number. From glibc 2.41 on, one place makes all such calls.
static void *interrupt(void *unused) {
  (void)unused;
  for (int way = 0; way < WAYS; way++) {
    while (sem_wait(&interrupted.begins) != 0) continue;
    rest(10);
#if defined(__x86_64__) && !__GLIBC_PREREQ(2, 41)
    pthread_kill(interrupted.waiting, SIGURG);
#endif
  }
  return NULL;
}

void wait_in_callbacks(int ms, int is_interrupted) {
  int set = checked(epoll_create1(0)), timer = checked(timerfd_create(CLOCK_MONOTONIC, 0));
  struct itimerspec every = {.it_interval = of_ms(5), .it_value = of_ms(5)};
  sigset_t signals;
  pthread_t thread;
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &signals, NULL);
  prepare_waits(ms);
  checked(sem_init(&interrupted.begins, 0, 0));
  interrupted.waiting = pthread_self();
  if (is_interrupted) start(&thread, interrupt, NULL);
  checked(timerfd_settime(timer, 0, &every, NULL));
  add(set, timer);
  for (int way = -20; way < WAYS; way++) {
    struct epoll_event found;
    while (epoll_wait(set, &found, 1, -1) != 1) continue;
    taken(timer);
    if (way < 0) continue;
    if (is_interrupted) {
      // The recorder takes its signal when it samples a thread that computes.
      compute(100);
      sem_post(&interrupted.begins);
    }
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    int was_ended = wait_in_one_way(way, ms);
    clock_gettime(CLOCK_MONOTONIC, &end);
    long waited_ms = (end.tv_sec - begin.tv_sec) * 1000 + (end.tv_nsec - begin.tv_nsec) / 1000000;
    if (was_ended || waited_ms < ms - 1) printf("%s ended early\n", ways[way]);
  }
  if (is_interrupted) pthread_join(thread, NULL);
}

void hide_threads(void) {
  if (getuid() == 0) checked(setuid(NOBODY));
  checked(prctl(PR_SET_DUMPABLE, 0, 0, 0, 0));
}
#endif
