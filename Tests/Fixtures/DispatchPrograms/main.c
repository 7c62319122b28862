// dispatch-programs COMMAND: programs with Dispatch queues, without any reference to their recording.
//
//   work      20 pieces of work of 2 ms on the serial queue "images", 4 on the concurrent queue "downloads", a barrier,
//             and one after 50 ms
//   waits     1000 calls of dispatch_sync on an idle queue, and one on a queue that is busy for 100 ms
//   readers   a barrier of dispatch_barrier_sync behind a reader of the concurrent queue "read"; a reader behind a barrier
//             behind a reader of the concurrent queue "written"
//   deadlock  the queues "first" and "second" wait for each other; ends after 300 ms
//   reused    200 queues, each released before the next one is made, with one piece of work each
//   forks     a child of fork, which uses no queue, while work waits
//   unserved  a piece of work of the main queue, which nothing serves; ends after 1.2 s
//   handed    50 threads, 5 at a time, put 250,000 pieces of work on two queues and end; prints how many did not run
//             exactly once
//
// Exit status: 0, 64 if there is no such command, 71 if a system call failed.
#ifdef __linux__
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// A toolchain has the header, but not where every compiler looks for it.
typedef struct dispatch_object_s *dispatch_object;
typedef void (*function)(void *);
extern dispatch_object dispatch_queue_create(const char *label, const void *attributes);
extern const char _dispatch_queue_attr_concurrent[];
extern char _dispatch_main_q[];
extern void dispatch_async_f(dispatch_object queue, void *context, function function);
extern void dispatch_barrier_async_f(dispatch_object queue, void *context, function function);
extern void dispatch_sync_f(dispatch_object queue, void *context, function function);
extern void dispatch_barrier_sync_f(dispatch_object queue, void *context, function function);
extern void dispatch_after_f(uint64_t when, dispatch_object queue, void *context, function function);
extern dispatch_object dispatch_group_create(void);
extern void dispatch_group_async_f(dispatch_object group, dispatch_object queue, void *context, function function);
extern intptr_t dispatch_group_wait(dispatch_object group, uint64_t timeout);
extern uint64_t dispatch_time(uint64_t base, int64_t distance_ns);
extern void dispatch_release(dispatch_object object);

enum { NO_COMMAND = 64, SYSTEM_ERROR = 71 };
static const uint64_t for_ever = UINT64_MAX;

static void rest(int ms) {
  struct timespec left = {ms / 1000, ms % 1000 * 1000000L};
  while (nanosleep(&left, &left) != 0) continue;
}

__attribute__((noinline)) static void shrink_image(void *unused) {
  (void)unused;
  rest(2);
}

__attribute__((noinline)) static void load_page(void *unused) {
  (void)unused;
  rest(5);
}

__attribute__((noinline)) static void add_one(void *count) { *(int *)count += 1; }

static int work(void) {
  int images = 0, late = 0;
  dispatch_object serial = dispatch_queue_create("images", NULL);
  for (int i = 0; i < 20; i++) dispatch_async_f(serial, NULL, shrink_image);
  dispatch_sync_f(serial, &images, add_one);
  dispatch_object wide = dispatch_queue_create("downloads", _dispatch_queue_attr_concurrent);
  dispatch_object group = dispatch_group_create();
  for (int i = 0; i < 4; i++) dispatch_group_async_f(group, wide, NULL, load_page);
  dispatch_barrier_async_f(wide, NULL, load_page);
  dispatch_group_wait(group, for_ever);
  dispatch_after_f(dispatch_time(0, 50000000), serial, &late, add_one);
  rest(150);
  dispatch_sync_f(serial, &images, add_one);
  printf("syncs %d, late %d\n", images, late);
  return 0;
}

__attribute__((noinline)) static void keep_busy(void *unused) {
  (void)unused;
  rest(100);
}

static int waits(void) {
  int count = 0;
  dispatch_object idle = dispatch_queue_create("idle", NULL), busy = dispatch_queue_create("busy", NULL);
  for (int i = 0; i < 1000; i++) dispatch_sync_f(idle, &count, add_one);
  dispatch_async_f(busy, NULL, keep_busy);
  rest(20);
  dispatch_sync_f(busy, &count, add_one);
  printf("count %d\n", count);
  return 0;
}

static dispatch_object first, second;
static void nothing(void *unused) { (void)unused; }

static void *read_slowly(void *queue) {
  dispatch_sync_f(queue, NULL, keep_busy);
  return NULL;
}

// Begins a reader that takes 100 ms. Returns 0 if that failed.
static int begin_reader(pthread_t *thread, dispatch_object queue) {
  if (pthread_create(thread, NULL, read_slowly, queue) != 0) return 0;
  rest(20);
  return 1;
}

static int readers(void) {
  pthread_t thread;
  dispatch_object read = dispatch_queue_create("read", _dispatch_queue_attr_concurrent);
  dispatch_object written = dispatch_queue_create("written", _dispatch_queue_attr_concurrent);
  for (int i = 0; i < 1000; i++) dispatch_barrier_sync_f(read, NULL, nothing);
  if (!begin_reader(&thread, read)) return SYSTEM_ERROR;
  dispatch_barrier_sync_f(read, NULL, nothing);
  pthread_join(thread, NULL);
  if (!begin_reader(&thread, written)) return SYSTEM_ERROR;
  dispatch_barrier_async_f(written, NULL, nothing);
  rest(20);
  dispatch_sync_f(written, NULL, nothing);
  pthread_join(thread, NULL);
  return 0;
}

__attribute__((noinline)) static void wait_for_second(void *unused) {
  (void)unused;
  rest(50);
  dispatch_sync_f(second, NULL, nothing);
}

__attribute__((noinline)) static void wait_for_first(void *unused) {
  (void)unused;
  rest(50);
  dispatch_sync_f(first, NULL, nothing);
}

static int deadlock(void) {
  first = dispatch_queue_create("first", NULL);
  second = dispatch_queue_create("second", NULL);
  dispatch_async_f(first, NULL, wait_for_second);
  dispatch_async_f(second, NULL, wait_for_first);
  dispatch_async_f(first, NULL, nothing);
  rest(300);
  return 0;
}

static int reused(void) {
  for (int i = 0; i < 200; i++) {
    char label[16];
    snprintf(label, sizeof label, "queue %d", i);
    dispatch_object queue = dispatch_queue_create(label, NULL), group = dispatch_group_create();
    dispatch_group_async_f(group, queue, NULL, nothing);
    dispatch_group_wait(group, for_ever);
    dispatch_release(group);
    dispatch_release(queue);
  }
  return 0;
}

static int forks(void) {
  dispatch_object queue = dispatch_queue_create("parent", NULL), group = dispatch_group_create();
  for (int i = 0; i < 10; i++) dispatch_group_async_f(group, queue, NULL, load_page);
  pid_t child = fork();
  if (child == 0) _exit(3);
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return SYSTEM_ERROR;
  dispatch_group_wait(group, for_ever);
  printf("child %d\n", WEXITSTATUS(status));
  return 0;
}

static int unserved(void) {
  dispatch_async_f((dispatch_object)_dispatch_main_q, NULL, nothing);
  rest(1200);
  return 0;
}

enum { PIECES = 250000, MAKERS = 50, MAKERS_AT_ONCE = 5, PIECES_OF_MAKER = PIECES / MAKERS };
static unsigned char runs[PIECES];
static dispatch_object handed_to[2], all_handed;

static void count_run(void *run) { __atomic_fetch_add((unsigned char *)run, 1, __ATOMIC_RELAXED); }

static void *make_pieces(void *first) {
  for (int i = 0; i < PIECES_OF_MAKER; i++)
    dispatch_group_async_f(all_handed, handed_to[i % 2], (unsigned char *)first + i, count_run);
  return NULL;
}

static int handed(void) {
  handed_to[0] = dispatch_queue_create("serial", NULL);
  handed_to[1] = dispatch_queue_create("wide", _dispatch_queue_attr_concurrent);
  all_handed = dispatch_group_create();
  for (int first = 0; first < MAKERS; first += MAKERS_AT_ONCE) {
    pthread_t makers[MAKERS_AT_ONCE];
    for (int i = 0; i < MAKERS_AT_ONCE; i++)
      if (pthread_create(&makers[i], NULL, make_pieces, &runs[(first + i) * PIECES_OF_MAKER]) != 0) return SYSTEM_ERROR;
    for (int i = 0; i < MAKERS_AT_ONCE; i++) pthread_join(makers[i], NULL);
  }
  dispatch_group_wait(all_handed, for_ever);
  int wrong = 0;
  for (int i = 0; i < PIECES; i++) wrong += runs[i] != 1;
  printf("wrong %d\n", wrong);
  return 0;
}

int main(int count, char **arguments) {
  static const struct {
    const char *name;
    int (*run)(void);
  } commands[] = {
      {"work", work},     {"waits", waits}, {"readers", readers},   {"deadlock", deadlock},
      {"reused", reused}, {"forks", forks}, {"unserved", unserved}, {"handed", handed}};
  for (size_t i = 0; count == 2 && i < sizeof commands / sizeof *commands; i++)
    if (strcmp(arguments[1], commands[i].name) == 0) return commands[i].run();
  return NO_COMMAND;
}
#else
int main(void) { return 64; }
#endif
