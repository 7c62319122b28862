// Declares the CoreFoundation functions that the recorder's C code calls, by their ABI. The headers of CoreFoundation
// are not available on every system, and the preload library is loaded into programs that may not have
// CoreFoundation.
#ifndef RLTRACE_CORE_FOUNDATION_H
#define RLTRACE_CORE_FOUNDATION_H

// The context of a timer or observer.
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

// The function to call. A library that finds CoreFoundation at run time defines RLT_CF, and calls no function before
// it has found it.
#if !defined(RLT_CF)
#define RLT_CF(name) name
#endif

#endif
