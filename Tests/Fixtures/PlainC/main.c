// A C program on CFRunLoop, recorded unmodified: contexts, equality, invalidation in callouts, reused addresses.
// Prints the behaviour of CoreFoundation that a program can observe. Recording must not change it.
#define _GNU_SOURCE
#include <CoreFoundation/CoreFoundation.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static int retained, released;
static const void *retain(const void *info) {
  retained++;
  return info;
}
static void release(const void *info) {
  (void)info;
  released++;
}
static CFStringRef describe(const void *info) { return CFStringCreateWithFormat(0, 0, CFSTR("value %d"), *(int *)info); }

static void run(double seconds) { printf("run %d\n", (int)CFRunLoopRunInMode(kCFRunLoopDefaultMode, seconds, false)); }

static CFRunLoopTimerRef current;
static int value = 7, invalidates, fired;

static void fire(CFRunLoopTimerRef timer, void *info) {
  fired++;
  printf("fire: info %d, same timer %d\n", info == &value, timer == current);
  if (invalidates) CFRunLoopTimerInvalidate(timer);
}

static void add(CFRunLoopTimerRef timer) { CFRunLoopAddTimer(CFRunLoopGetCurrent(), timer, kCFRunLoopDefaultMode); }

static CFRunLoopTimerRef timer(double interval, CFRunLoopTimerCallBack callout, CFRunLoopTimerContext *context) {
  return CFRunLoopTimerCreate(0, CFAbsoluteTimeGetCurrent() + .01, interval, 0, 5, callout, context);
}

static void timer_contexts(void) {
  CFRunLoopTimerContext context = {0, &value, retain, release, describe}, got = {0, 0, 0, 0, 0};
  current = timer(.01, fire, &context);
  CFRunLoopTimerGetContext(current, &got);
  printf("same context %d, retained %d, order %ld\n", memcmp(&context, &got, sizeof got) == 0, retained,
         (long)CFRunLoopTimerGetOrder(current));
  add(current);
  invalidates = 1;
  run(.05);
  printf("valid %d retained %d released %d\n", CFRunLoopTimerIsValid(current), retained, released);
  CFRelease(current);
  printf("released %d\n", released);
  invalidates = 0;
  current = timer(0, fire, &context);
  add(current);
  CFRelease(current);
  run(.05);
  printf("one-shot: retained %d released %d\n", retained, released);
}

static void release_in_callout(CFRunLoopTimerRef fired_timer, void *info) {
  CFRunLoopTimerRef *box = info;
  if (*box != NULL) {
    CFRunLoopTimerInvalidate(*box);
    CFRelease(*box);
  }
  *box = NULL;
  (void)fired_timer;
  puts("released in its callout");
}

static void nest(CFRunLoopTimerRef outer, void *info) {
  int depth = ++*(int *)info;
  (void)outer;
  if (depth < 3) {
    CFRunLoopTimerContext context = {0, info, 0, 0, 0};
    CFRunLoopTimerRef inner = timer(0, nest, &context);
    add(inner);
    CFRelease(inner);
    run(.05);
  }
  printf("nested %d\n", depth);
}

static void quiet(CFRunLoopTimerRef unused, void *info) {
  (void)unused;
  ++*(int *)info;
}

static void timers(void) {
  CFRunLoopTimerRef box;
  CFRunLoopTimerContext boxed = {0, &box, 0, 0, 0};
  box = timer(.01, release_in_callout, &boxed);
  add(box);
  run(.05);
  int depth = 0;
  CFRunLoopTimerContext nested = {0, &depth, 0, 0, 0};
  CFRunLoopTimerRef outer = timer(0, nest, &nested);
  add(outer);
  CFRelease(outer);
  run(.1);
  // Addresses are reused at once; a few of these timers fire.
  int count = 0;
  CFRunLoopTimerContext counted = {0, &count, 0, 0, 0};
  for (int i = 0; i < 2000; i++) {
    CFRunLoopTimerRef again = CFRunLoopTimerCreate(0, CFAbsoluteTimeGetCurrent(), 0, 0, 0, quiet, &counted);
    if (i % 100 == 0) {
      add(again);
      CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0.01, false);
    }
    CFRelease(again);
  }
  printf("used again %d\n", count);
  __block int handled = 0;
  CFRunLoopTimerRef handler =
      CFRunLoopTimerCreateWithHandler(0, CFAbsoluteTimeGetCurrent() + .01, .01, 0, 0, ^(CFRunLoopTimerRef self) {
        if (++handled == 3) CFRunLoopTimerInvalidate(self);
      });
  add(handler);
  CFRelease(handler);
  run(.1);
  printf("handler %d\n", handled);
}

static int performed;
static void perform(void *info) {
  (void)info;
  performed++;
}
static void perform_other(void *info) {
  (void)info;
  performed += 100;
}
static Boolean equal(const void *a, const void *b) { return *(int *)a == *(int *)b; }
static CFHashCode hash(const void *a) { return (CFHashCode) * (int *)a; }

static void sources(void) {
  int a = 1, b = 1;
  CFRunLoopRef loop = CFRunLoopGetCurrent();
  CFRunLoopSourceContext context = {0, &a, retain, release, describe, 0, 0, 0, 0, perform}, other = context, got;
  memset(&got, 0, sizeof got);
  other.perform = perform_other;
  CFRunLoopSourceRef x = CFRunLoopSourceCreate(0, 0, &context), y = CFRunLoopSourceCreate(0, 0, &context),
                     z = CFRunLoopSourceCreate(0, 0, &other), w = CFRunLoopSourceCreate(0, 1, &context);
  printf("equal %d, other perform %d, other order %d, hash %d\n", CFEqual(x, y), CFEqual(x, z), CFEqual(x, w),
         CFHash(x) == CFHash(y));
  CFRunLoopSourceGetContext(x, &got);
  printf("same context %d\n", memcmp(&context, &got, sizeof got) == 0);
  CFRunLoopSourceContext custom = {0, &a, 0, 0, describe, equal, hash, 0, 0, perform}, second = custom;
  second.info = &b;
  CFRunLoopSourceRef p = CFRunLoopSourceCreate(0, 0, &custom), q = CFRunLoopSourceCreate(0, 0, &second);
  printf("custom equal %d\n", CFEqual(p, q));
  CFRunLoopAddSource(loop, x, kCFRunLoopDefaultMode);
  printf("contains its equal %d\n", CFRunLoopContainsSource(loop, y, kCFRunLoopDefaultMode));
  CFRunLoopSourceSignal(x);
  run(.01);
  CFRunLoopSourceSignal(x);
  CFRunLoopRemoveSource(loop, y, kCFRunLoopDefaultMode);
  run(.01);
  printf("performed %d\n", performed);
  CFRunLoopSourceContext nothing = {0, &a, 0, 0, 0, 0, 0, 0, 0, 0};
  CFRunLoopSourceRef n = CFRunLoopSourceCreate(0, 0, &nothing);
  CFRunLoopAddSource(loop, n, kCFRunLoopDefaultMode);
  CFRunLoopSourceSignal(n);
  printf("no perform: %d\n", (int)CFRunLoopRunInMode(kCFRunLoopDefaultMode, .01, true));
  CFRunLoopSourceInvalidate(n);
  CFRunLoopSourceRef all[] = {x, y, z, w, p, q, n};
  for (int i = 0; i < 7; i++) CFRelease(all[i]);
  printf("retained %d released %d\n", retained, released);
}

static void blocks(void) {
  CFRunLoopRef loop = CFRunLoopGetCurrent();
  __block int sum = 0;
  CFRunLoopPerformBlock(loop, kCFRunLoopDefaultMode, ^{
    sum++;
    CFRunLoopPerformBlock(loop, kCFRunLoopDefaultMode, ^{ sum += 10; });
  });
  const void *modes[2] = {kCFRunLoopDefaultMode, CFSTR("second")};
  CFArrayRef both = CFArrayCreate(0, modes, 2, &kCFTypeArrayCallBacks);
  CFRunLoopPerformBlock(loop, both, ^{ sum += 100; });
  CFRunLoopPerformBlock(loop, CFSTR("third"), ^{ sum += 1000; });
  CFRunLoopPerformBlock(loop, kCFRunLoopDefaultMode, NULL);
  CFRunLoopPerformBlock(loop, CFSTR("second"), ^{ sum += 10000; });
  run(.02);
  printf("blocks %d\n", sum);
  printf("second %d", (int)CFRunLoopRunInMode(CFSTR("second"), .01, false));
  printf(" blocks %d\n", sum);
  printf("unknown mode %d\n", (int)CFRunLoopRunInMode(CFSTR("nobody's"), .01, false));
  CFArrayRef all = CFRunLoopCopyAllModes(loop);
  printf("modes %ld\n", (long)CFArrayGetCount(all));
  CFRelease(all);
  CFRelease(both);
}

static void leave_thread(CFRunLoopTimerRef unused, void *info) {
  (void)unused;
  (void)info;
  pthread_exit(0);
}

static void *thread(void *unused) {
  CFRunLoopTimerRef leaver = timer(0, leave_thread, NULL);
  add(leaver);
  run(.1);
  return unused;
}

// As in docs/reference/recording.md.
static void set_state(const char *name, const char *value) {
  typedef void (*function)(const char *, const char *);
  function state = (function)dlsym(RTLD_DEFAULT, "rltrace_state");
  if (state) state(name, value);
}

int main(void) {
  set_state("screen", "first");
  timer_contexts();
  timers();
  sources();
  blocks();
  pthread_t other;
  pthread_create(&other, 0, thread, 0);
  pthread_join(other, 0);
  puts("a thread ended in its callout");
  set_state("screen", NULL);
  return 3;
}
