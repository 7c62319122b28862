// The functions of CoreFoundation that the recorder's C calls, as their ABI has them: its headers are not at hand on every
// system, and the preload library goes into programs that may have no CoreFoundation.
#ifndef RLTRACE_CORE_FOUNDATION_H
#define RLTRACE_CORE_FOUNDATION_H

// Of timers and observers.
typedef struct {
  long version;
  void *info;
  const void *(*retain)(const void *info);
  void (*release)(const void *info);
  void *(*copy_description)(const void *info);
} rlt_context;

double CFAbsoluteTimeGetCurrent(void);
void CFRelease(void *object);
void *CFRunLoopTimerCreate(void *allocator, double fire_date, double interval, unsigned long flags, long order,
                           void (*callout)(void *timer, void *info), rlt_context *context);
double CFRunLoopTimerGetNextFireDate(void *timer);
void *CFRunLoopObserverCreate(void *allocator, unsigned long activities, unsigned char repeats, long order,
                              void (*callout)(void *observer, unsigned long activity, void *info),
                              rlt_context *context);
void CFRunLoopAddObserver(void *loop, void *observer, void *mode);

// The function itself. A library that finds CoreFoundation at run time says how, and calls nothing here before it has.
#if !defined(RLT_CF)
#define RLT_CF(name) name
#endif

#endif
