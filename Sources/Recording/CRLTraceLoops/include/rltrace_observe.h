// Runs of a loop, and the recorder's observers on each of its modes.
#ifndef RLTRACE_OBSERVE_H
#define RLTRACE_OBSERVE_H

#include <stdint.h>

// Searches for new modes, which CFRunLoop does not announce.
typedef struct {
  const uint64_t *moment_ns;  // an Entry at this rlt_coarse_ns or later searches; shared between threads
  void (*look)(void *owner);
  void (*release)(void *owner);  // called when the last observer is gone
  void *owner;
} rlt_mode_search;

// Adds the observers of the lowest and of the highest order to an existing mode; adding one to a mode that does not
// exist would create the mode. `name` is a CFString, `loop` and `mode` are ids of the trace. `observers` receives the
// two, retained.
void rlt_observe_mode(void *run_loop, void *name, uint32_t loop, uint8_t mode, const rlt_mode_search *search,
                      void *observers[2]);

// A mode whose observers stay as long as its loop.
typedef struct rlt_observed_mode rlt_observed_mode;

// Adds an observer of the lowest order to an existing mode of the calling thread's loop. Until there is one of the
// highest order, it emits both events of an activity with the same time, and those of BeforeSources with BeforeTimers.
// CFRunLoop takes as long to call an observer as the recorder takes for several events. The loop keeps the observers,
// and the caller keeps `name` as long as the loop. The caller releases the result, which is NULL without memory.
rlt_observed_mode *rlt_observe_own_mode(void *run_loop, void *name, uint32_t loop, uint8_t mode);
void rlt_observed_mode_release(rlt_observed_mode *observed);
// Adds the observer of the highest order and one for BeforeSources, unless the mode has them. Called before the program
// adds an observer to the loop, by one thread at a time.
void rlt_observe_high(rlt_observed_mode *observed);

// Returns a run's timeout as the trace stores it.
uint64_t rlt_timeout_ns(double seconds);

#endif
