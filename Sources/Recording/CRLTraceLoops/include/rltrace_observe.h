// Runs of a loop, and the two observers on each of its modes.
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
// exist would create the mode. `name` is a CFString, `loop` and `mode` are ids of the trace, `search` may be NULL.
// `observers` receives the two, retained; NULL = only the loop keeps them.
void rlt_observe_mode(void *run_loop, void *name, uint32_t loop, uint8_t mode, const rlt_mode_search *search,
                      void *observers[2]);

// Returns a run's timeout as the trace stores it.
uint64_t rlt_timeout_ns(double seconds);

#endif
