// One word that threads of a process share. Swift's own atomics require newer systems than an app that embeds the
// recorder may run on.
#ifndef RLTRACE_ATOMIC_H
#define RLTRACE_ATOMIC_H

#include <stdint.h>

static inline uint64_t rlt_atomic_load(const uint64_t *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }

static inline void rlt_atomic_store(uint64_t *word, uint64_t value) {
  __atomic_store_n(word, value, __ATOMIC_RELEASE);
}

// Returns the previous value.
static inline uint64_t rlt_atomic_exchange(uint64_t *word, uint64_t value) {
  return __atomic_exchange_n(word, value, __ATOMIC_ACQ_REL);
}

// Adds with wrap-around, and returns the sum.
static inline uint64_t rlt_atomic_add(uint64_t *word, uint64_t value) {
  return __atomic_add_fetch(word, value, __ATOMIC_ACQ_REL);
}

// Pauses between two reads of a word that another thread is about to change.
static inline void rlt_atomic_relax(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

#endif
