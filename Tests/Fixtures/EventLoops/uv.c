// uv [healthy]: a libuv loop with a timer of 20 ms, which another thread wakes every 50 ms. One callback sleeps for
// 300 ms, unless the program is healthy.
#include <string.h>
#include <time.h>
#include <uv.h>

enum { TICKS = 150, BLOCKED_TICK = 60, SIGNALS = 50 };

static int is_healthy;
static _Atomic int ticks;

// The planted fault.
__attribute__((noinline)) void sleep_in_callback(void) {
  struct timespec left = {0, 300000000};
  while (nanosleep(&left, &left) != 0) continue;
}

static void tick(uv_timer_t *timer) {
  ticks += 1;
  if (ticks == BLOCKED_TICK && !is_healthy) sleep_in_callback();
  if (ticks == TICKS) uv_timer_stop(timer);
}

// The last wake-up closes the handle that keeps the loop running.
static void take(uv_async_t *wake_up) {
  if (ticks >= TICKS) uv_close((uv_handle_t *)wake_up, NULL);
}

static void wake_repeatedly(void *wake_up) {
  for (int i = 0; i < SIGNALS; i++) {
    uv_async_send(wake_up);
    uv_sleep(50);
  }
  while (ticks < TICKS) uv_sleep(50);
  uv_async_send(wake_up);
}

int main(int count, char **words) {
  is_healthy = count > 1 && strcmp(words[1], "healthy") == 0;
  uv_loop_t *loop = uv_default_loop();
  uv_timer_t timer;
  uv_async_t wake_up;
  uv_thread_t waker;
  if (uv_async_init(loop, &wake_up, take) != 0 || uv_timer_init(loop, &timer) != 0) return 71;
  uv_timer_start(&timer, tick, 20, 20);
  if (uv_thread_create(&waker, wake_repeatedly, &wake_up) != 0) return 71;
  uv_run(loop, UV_RUN_DEFAULT);
  uv_thread_join(&waker);
  return 0;
}
