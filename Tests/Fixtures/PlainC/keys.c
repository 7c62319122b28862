// Uses all keys for thread-specific data, then runs loops. Prints whether the first key, which belongs to a library, kept
// its value, and how many timers fired.
#include <CoreFoundation/CoreFoundation.h>
#include <pthread.h>
#include <stdio.h>

static void fire(CFRunLoopTimerRef timer, void *fires) {
  (void)timer;
  ++*(int *)fires;
  CFRunLoopStop(CFRunLoopGetCurrent());
}

static void *run(void *fires) {
  CFRunLoopTimerContext context = {0, fires, 0, 0, 0};
  CFRunLoopTimerRef timer = CFRunLoopTimerCreate(0, CFAbsoluteTimeGetCurrent(), 0, 0, 0, fire, &context);
  CFRunLoopAddTimer(CFRunLoopGetCurrent(), timer, kCFRunLoopDefaultMode);
  CFRelease(timer);
  CFRunLoopRunInMode(kCFRunLoopDefaultMode, 5, false);
  return fires;
}

int main(void) {
  pthread_key_t key;
  pthread_t thread;
  int fires = 0;
  CFRunLoopGetMain();
  while (pthread_key_create(&key, NULL) == 0) continue;
  const void *before = pthread_getspecific(0);
  run(&fires);
  printf("same %d\n", before == pthread_getspecific(0));
  pthread_create(&thread, NULL, run, &fires);
  pthread_join(thread, NULL);
  printf("fires %d\n", fires);
  return 0;
}
