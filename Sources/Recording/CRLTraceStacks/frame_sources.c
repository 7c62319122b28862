#include "rltrace_frame_sources.h"

enum { FRAME_SOURCES = 16 };

// The object in the upper half, the interval in the lower one; 0 = free.
static uint64_t frame_sources[FRAME_SOURCES];
// Whether there was a source since all were forgotten.
static int has_frame_sources;

static uint64_t frame_source(int at) { return __atomic_load_n(&frame_sources[at], __ATOMIC_RELAXED); }

static int replace_frame_source(int at, uint64_t old, uint64_t new) {
  return __atomic_compare_exchange_n(&frame_sources[at], &old, new, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

void rlt_follow_frames(uint32_t object, uint64_t interval_ns) {
  if (object == 0 || interval_ns == 0) return;
  __atomic_store_n(&has_frame_sources, 1, __ATOMIC_RELAXED);
  rlt_forget_frames(object);
  uint64_t entry = (uint64_t)object << 32 | (interval_ns < UINT32_MAX ? interval_ns : UINT32_MAX);
  for (int i = 0; i < FRAME_SOURCES; i++) {
    if (replace_frame_source(i, 0, entry)) return;
  }
}

void rlt_forget_frames(uint32_t object) {
  if (__atomic_load_n(&has_frame_sources, __ATOMIC_RELAXED) == 0) return;
  for (int i = 0; i < FRAME_SOURCES; i++) {
    uint64_t entry = frame_source(i);
    if (entry != 0 && entry >> 32 == object) replace_frame_source(i, entry, 0);
  }
}

void rlt_forget_all_frames(void) {
  for (int i = 0; i < FRAME_SOURCES; i++) __atomic_store_n(&frame_sources[i], 0, __ATOMIC_RELAXED);
  __atomic_store_n(&has_frame_sources, 0, __ATOMIC_RELAXED);
}

uint64_t rlt_shortest_frame_ns(void) {
  uint64_t shortest = 0;
  if (__atomic_load_n(&has_frame_sources, __ATOMIC_RELAXED) == 0) return 0;
  for (int i = 0; i < FRAME_SOURCES; i++) {
    uint64_t interval_ns = frame_source(i) & UINT32_MAX;
    if (interval_ns != 0 && (shortest == 0 || interval_ns < shortest)) shortest = interval_ns;
  }
  return shortest;
}
