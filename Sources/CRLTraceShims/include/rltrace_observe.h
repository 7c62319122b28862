// The run-loop observer's callout. It knows CFRunLoop's activity bits, not CoreFoundation's headers, so that
// it serves a program that links CoreFoundation and one that finds it at run time.
#ifndef RLTRACE_OBSERVE_H
#define RLTRACE_OBSERVE_H

#include <stdint.h>

// What an observer's `info` points to. Lives as long as the recording.
typedef struct {
  uint32_t loop;       // object id of the loop
  uint8_t mode;        // mode id
  uint8_t is_high;     // 1 = the observer of the highest order
  uint8_t reserved[2];
  uint64_t *rescan_at_ns;  // CLOCK_MONOTONIC moment after which Entry looks for new modes; NULL = never
  void (*rescan)(void *context);
  void *rescan_context;
} rlt_observer_info;

// CFRunLoopObserverCallBack: emits the activity, and keeps the thread's current mode.
void rlt_observe(void *observer, unsigned long activity, void *info);

#endif
