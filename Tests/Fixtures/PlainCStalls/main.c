// Stalls of 500 ms in a C program without frame pointers, each in a different function.
#include <CoreFoundation/CoreFoundation.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { STALL_MS = 500 };

static double now(void) {
  struct timespec moment;
  clock_gettime(CLOCK_MONOTONIC, &moment);
  return (double)moment.tv_sec * 1e3 + (double)moment.tv_nsec / 1e6;
}

__attribute__((noinline)) static void compute(void) {
  double end = now() + STALL_MS;
  volatile unsigned sum = 0;
  while (now() < end)
    for (unsigned i = 0; i < 100000; i++) sum = sum * 31 + i;
}

__attribute__((noinline)) static void save_file(void) {
  char path[] = "/tmp/rltrace-stall-XXXXXX";
  static char bytes[1 << 20];
  int file = mkstemp(path);
  for (double end = now() + STALL_MS; now() < end;) {
    if (pwrite(file, bytes, sizeof bytes, 0) < 0) break;
    fsync(file);
  }
  close(file);
  unlink(path);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t is_taken;

static void *keep_lock(void *context) {
  (void)context;
  pthread_mutex_lock(&lock);
  pthread_barrier_wait(&is_taken);
  usleep(STALL_MS * 1000);
  pthread_mutex_unlock(&lock);
  return NULL;
}

__attribute__((noinline)) static void wait_for_lock(void) {
  pthread_t other;
  pthread_barrier_init(&is_taken, NULL, 2);
  pthread_create(&other, NULL, keep_lock, NULL);
  pthread_barrier_wait(&is_taken);
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  pthread_join(other, NULL);
}

static int ends[2];

static void *answer(void *context) {
  (void)context;
  usleep(STALL_MS * 1000);
  return (void *)write(ends[1], "x", 1);
}

__attribute__((noinline)) static void ask_helper(void) {
  pthread_t other;
  char reply;
  socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
  pthread_create(&other, NULL, answer, NULL);
  if (read(ends[0], &reply, 1) != 1) puts("no answer");
  pthread_join(other, NULL);
}

static void (*const stalls[])(void) = {compute, save_file, wait_for_lock, ask_helper};
static unsigned done;

static void fire(CFRunLoopTimerRef timer, void *info) {
  (void)info;
  if (done == sizeof stalls / sizeof *stalls) CFRunLoopTimerInvalidate(timer);
  else stalls[done++]();
}

int main(void) {
  CFRunLoopTimerRef timer = CFRunLoopTimerCreate(0, CFAbsoluteTimeGetCurrent() + .05, .05, 0, 0, fire, NULL);
  CFRunLoopAddTimer(CFRunLoopGetCurrent(), timer, kCFRunLoopDefaultMode);
  while (CFRunLoopTimerIsValid(timer)) CFRunLoopRunInMode(kCFRunLoopDefaultMode, .05, false);
  puts("done");
}
