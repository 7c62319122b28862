// Runs of a loop, and the two observers on each of its modes.
#ifndef RLTRACE_OBSERVE_H
#define RLTRACE_OBSERVE_H

#include <stdint.h>

// Looks for modes that were born later: CFRunLoop announces none.
typedef struct {
  const uint64_t *moment_ns;  // an Entry after this moment of rlt_coarse_ns looks; a word that threads share
  void (*look)(void *owner);
  void (*release)(void *owner);  // when the last observer is gone
  void *owner;
} rlt_mode_search;

// Puts the observers of the lowest and of the highest order on a mode that exists: adding one creates a mode. `name` is a
// CFString, `loop` and `mode` are their ids, `search` may be NULL. `observers` takes the two, retained; NULL where the
// loop alone is to have them.
void rlt_observe_mode(void *run_loop, void *name, uint32_t loop, uint8_t mode, const rlt_mode_search *search,
                      void *observers[2]);

// A run's timeout, as the trace has it.
uint64_t rlt_timeout_ns(double seconds);

#endif
