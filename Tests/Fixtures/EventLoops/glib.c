// glib [healthy]: a GLib main loop with a timer of 20 ms, which another thread wakes every 50 ms. One callback sleeps for
// 300 ms, unless the program is healthy.
#include <glib.h>
#include <time.h>

enum { TICKS = 150, BLOCKED_TICK = 60, SIGNALS = 50 };

static int ticks;
static gboolean is_healthy;

// The planted fault.
__attribute__((noinline)) void sleep_in_callback(void) {
  struct timespec left = {0, 300000000};
  while (nanosleep(&left, &left) != 0) continue;
}

static gboolean tick(gpointer loop) {
  ticks += 1;
  if (ticks == BLOCKED_TICK && !is_healthy) sleep_in_callback();
  if (ticks == TICKS) g_main_loop_quit(loop);
  return G_SOURCE_CONTINUE;
}

static gboolean take(gpointer taken) {
  *(int *)taken += 1;
  return G_SOURCE_REMOVE;
}

static gpointer wake_repeatedly(gpointer taken) {
  for (int i = 0; i < SIGNALS; i++) {
    g_idle_add(take, taken);
    g_usleep(50000);
  }
  return NULL;
}

int main(int count, char **words) {
  int taken = 0;
  is_healthy = count > 1 && g_strcmp0(words[1], "healthy") == 0;
  GMainLoop *loop = g_main_loop_new(NULL, FALSE);
  g_timeout_add(20, tick, loop);
  GThread *waker = g_thread_new("waker", wake_repeatedly, &taken);
  g_main_loop_run(loop);
  g_thread_join(waker);
  g_main_loop_unref(loop);
  return 0;
}
