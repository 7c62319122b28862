// The hot path: one clock read and one 16-byte store into the thread's own ring. No lock, no allocation.
#ifndef RLTRACE_EMIT_H
#define RLTRACE_EMIT_H

#include <stddef.h>

#include "rltrace_clock.h"
#include "rltrace_spool.h"
#include "rltrace_vocabulary.h"

enum { RLT_MODE_DEPTH_MAX = 64 };

// A library that is loaded with the program reaches its thread-local words in one instruction.
#if defined(RLT_TLS_INITIAL_EXEC)
#define RLT_TLS _Thread_local __attribute__((tls_model("initial-exec")))
#else
#define RLT_TLS _Thread_local
#endif

// The state of a traced thread.
typedef struct {
  rlt_ring *ring;        // NULL before the first event, and for a thread that shares a ring or gets none
  uint32_t session;      // the recording that `ring` belongs to
  uint32_t depth;        // nested runs seen through observers
  uint8_t mode;          // mode of the innermost run, 0 = none
  uint8_t is_left_out;   // this recording leaves the thread out, or the thread is ending
  uint8_t runs_loop;     // it ran a loop in this recording: such threads get rings first
  uint8_t has_lost;      // it lost events while it had no ring, and its ring does not note that yet
  uint8_t outer_modes[RLT_MODE_DEPTH_MAX];
} rlt_thread_state;

// The current recording, one per process. It is written while `session` is 0. A thread may still be in the middle of
// an emit then, so all fields are read and written atomically. The exception is `uses_cycles`, where that would cost
// each event an instruction. It is written only if a recording uses a different clock from the one before.
typedef struct {
  uint32_t session;      // 0 = not recording; a different number for each recording
  uint32_t uses_cycles;  // stamps are cycles, otherwise CLOCK_MONOTONIC nanoseconds
  rlt_spool *spool;      // never unmapped: a thread may be in the middle of an emit
  void (*call_drain)(int flushes);  // see rlt_call_drain; NULL = not possible
  rlt_ring *queue_ring;  // the main queue's ring if no run loop serves it, `os_thread` = its thread now; NULL = none
} rlt_recording;

// The phase of the app's life that was marked last, with the thread and the time. Fields are accessed atomically, and
// `phase` is written last.
typedef struct {
  uint64_t phase;        // its code in the trace, 0 = none was marked in this recording
  uint64_t since_ns;     // monotonic
  uint64_t os_thread;
} rlt_life;

extern RLT_TLS rlt_thread_state rlt_thread;
extern rlt_recording rlt_current;
extern rlt_life rlt_current_life;

// Returns whether the app is in a phase in which the system expects it to do nothing.
static inline int rlt_life_is_quiet(void) {
  uint64_t phase = __atomic_load_n(&rlt_current_life.phase, __ATOMIC_ACQUIRE);
  return phase == RLT_PHASE_BACKGROUND || phase == RLT_PHASE_SUSPENDED;
}

static inline rlt_ring *rlt_queue_ring(void) { return __atomic_load_n(&rlt_current.queue_ring, __ATOMIC_ACQUIRE); }

static inline rlt_spool *rlt_current_spool(void) { return __atomic_load_n(&rlt_current.spool, __ATOMIC_RELAXED); }

static inline uint64_t rlt_stamp(void) {
  return __builtin_expect(rlt_current.uses_cycles != 0, 1) ? rlt_cycles() : rlt_monotonic_ns();
}

// Makes room for `slots` in the thread's own ring, or counts one lost event and returns NULL.
rlt_ring *rlt_ring_with_room(uint64_t slots);

// Returns the thread's own ring if it has room for `slots`, otherwise NULL.
static inline rlt_ring *rlt_own_ring(uint64_t slots) {
  rlt_thread_state *thread = &rlt_thread;
  rlt_ring *ring = thread->ring;
  // `session` is re-read for each event, so that stop() takes effect at once.
  if (__builtin_expect(
          ring != NULL && thread->session == __atomic_load_n(&rlt_current.session, __ATOMIC_RELAXED)
              && ring->head + slots <= ring->limit, 1))
    return ring;
  return NULL;
}

static inline rlt_ring *rlt_ring_for(uint64_t slots) {
  rlt_ring *ring = rlt_own_ring(slots);
  return ring != NULL ? ring : rlt_ring_with_room(slots);
}

static inline rlt_record *rlt_slot(rlt_ring *ring, uint64_t index) {
  return (rlt_record *)((char *)ring + ring->slots_offset) + (index & (ring->capacity - 1));
}

// Packs the fields into one word, so that the record is two 8-byte stores, or one 16-byte store if the compiler joins
// them.
static inline void rlt_store(
    rlt_record *slot, uint64_t stamp, uint8_t kind, uint8_t mode, uint32_t object, uint8_t arguments) {
  uint64_t meta = (uint64_t)object | (uint64_t)kind << 32 | (uint64_t)mode << 40 | (uint64_t)arguments << 48;
  uint64_t *words = (uint64_t *)slot;
  words[0] = stamp;
  words[1] = meta;
}

// `head` is the value that the caller read before it stored. The compiler cannot know that the slots do not alias it.
static inline void rlt_publish(rlt_ring *ring, uint64_t head) {
  __atomic_store_n(&ring->head, head, __ATOMIC_RELEASE);
}

// Emits an event with up to 255 arguments.
void rlt_emit_arguments(
    uint8_t kind, uint8_t mode, uint32_t object, const uint64_t *arguments, uint8_t count);

// Emits an event that happened at `stamp`, after which the thread stored no other event; 0 = it happens now.
void rlt_emit_late(
    uint64_t stamp, uint8_t kind, uint8_t mode, uint32_t object, const uint64_t *arguments, uint8_t count);

// Emits an event of the calling thread. The slow path is a tail call that needs no earlier results, so the usual
// case saves no registers.
static inline void rlt_emit_in_mode(uint8_t kind, uint8_t mode, uint32_t object) {
  rlt_ring *ring = rlt_own_ring(1);
  if (__builtin_expect(ring == NULL, 0)) {
    rlt_emit_arguments(kind, mode, object, NULL, 0);
    return;
  }
  uint64_t head = ring->head;
  rlt_store(rlt_slot(ring, head), rlt_stamp(), kind, mode, object, 0);
  rlt_publish(ring, head + 1);
}

// Emits an event in the mode of the thread's innermost observed run.
static inline void rlt_emit(uint8_t kind, uint32_t object) {
  rlt_emit_in_mode(kind, rlt_thread.mode, object);
}

// Two kinds of a batch: the low and the high stamp of an activity, or the begin and the end of a callout.
#define RLT_BOTH(kind) ((uint64_t)(kind) | (uint64_t)((kind) + 1) << 8)

// BeforeTimers and BeforeSources, where nothing runs between the two.
#define RLT_BEGIN_OF_PASS (RLT_BOTH(RLT_KIND_BEFORE_TIMERS_LOW) | RLT_BOTH(RLT_KIND_BEFORE_SOURCES_LOW) << 16)

// The slow path of `rlt_emit_batch`.
void rlt_emit_one_by_one(uint64_t kinds, uint8_t mode, uint32_t object);

// Emits one to eight events of an object with one clock read. `kinds`: a kind in each byte, the first one in the lowest
// byte.
static inline void rlt_emit_batch(uint64_t kinds, uint8_t mode, uint32_t object) {
  // If the kinds are constant, so is their number, and the loop is unrolled.
  uint64_t count = (71 - (uint64_t)__builtin_clzll(kinds)) / 8;
  rlt_ring *ring = rlt_own_ring(count);
  if (__builtin_expect(ring == NULL, 0)) {
    rlt_emit_one_by_one(kinds, mode, object);
    return;
  }
  uint64_t head = ring->head, stamp = rlt_stamp();
  for (uint64_t i = 0; i < count; i++)
    rlt_store(rlt_slot(ring, head + i), stamp, (uint8_t)(kinds >> (8 * i)), mode, object, 0);
  rlt_publish(ring, head + count);
}

// Stores arguments into the slots from `at` on, two in each. If their number is constant, the loop is unrolled.
static inline void rlt_store_arguments(rlt_ring *ring, uint64_t at, const uint64_t *arguments, uint64_t count) {
  // Read once: the compiler cannot know that the slots do not alias them.
  rlt_record *slots = rlt_slot(ring, 0);
  uint64_t mask = ring->capacity - 1;
  for (uint64_t i = 0; i < count; i += 2) {
    uint64_t *words = (uint64_t *)&slots[at++ & mask];
    words[0] = arguments[i];
    words[1] = i + 1 < count ? arguments[i + 1] : 0;
  }
}

// Emits an event with arguments whose number is constant.
static inline void rlt_emit_inline(
    uint8_t kind, uint8_t mode, uint32_t object, const uint64_t *arguments, uint8_t count) {
  uint64_t slots = 1 + ((uint64_t)count + 1) / 2;
  rlt_ring *ring = rlt_own_ring(slots);
  if (__builtin_expect(ring == NULL, 0)) {
    rlt_emit_arguments(kind, mode, object, arguments, count);
    return;
  }
  uint64_t head = ring->head;
  rlt_store(rlt_slot(ring, head), rlt_stamp(), kind, mode, object, count);
  rlt_store_arguments(ring, head + 1, arguments, count);
  rlt_publish(ring, head + slots);
}

// Emits a due point and the start of its callout, with one clock read.
void rlt_emit_timer_begin(uint8_t due_kind, uint8_t begin_kind, uint32_t object, uint64_t due_monotonic_ns);

static inline uint8_t rlt_thread_mode(void) { return rlt_thread.mode; }

static inline uint32_t rlt_recording_session(void) {
  return __atomic_load_n(&rlt_current.session, __ATOMIC_ACQUIRE);
}

// Wakes the drain, if possible. `flushes`: it writes its events and gives their slots back.
static inline void rlt_call_drain(int flushes) {
  void (*call)(int) = __atomic_load_n(&rlt_current.call_drain, __ATOMIC_RELAXED);
  if (call != NULL) call(flushes);
}

// Notes that the calling thread runs a loop. If the thread is not yet part of the current recording, it joins: it
// forgets the modes of an earlier recording and takes a ring of its own.
void rlt_join_recording(void);

// Notes that the calling thread is the recorder's own. It takes a ring of its own, even if the recording leaves other
// threads out. Returns the thread's index in the trace, 0xFFFFFFFF if there is no ring.
uint32_t rlt_join_as_recorder(void);

// Gives the calling thread's ring back to the drain. Called when the thread ends.
void rlt_abandon_ring(void);

// Notes that an event of the calling thread was not stored: a signal handler jumped out of the code that stores events.
void rlt_note_loss(void);

// Starts (session != 0) or stops (session = 0) the recording of this process.
void rlt_set_recording(uint32_t session, rlt_spool *spool, void (*call_drain)(int flushes));

// Access to shared words of a ring for the drain.
RLT_READS(uint64_t, rlt_ring_head, rlt_ring, head, __ATOMIC_ACQUIRE)
RLT_READS(uint32_t, rlt_ring_state, rlt_ring, state, __ATOMIC_ACQUIRE)
static inline void rlt_ring_set_state(rlt_ring *ring, uint32_t state) {
  __atomic_store_n(&ring->state, state, __ATOMIC_RELEASE);
}
RLT_READS(uint64_t, rlt_ring_os_thread, rlt_ring, os_thread, __ATOMIC_RELAXED)
static inline void rlt_ring_set_os_thread(rlt_ring *ring, uint64_t os_thread) {
  __atomic_store_n(&ring->os_thread, os_thread, __ATOMIC_RELAXED);
}
RLT_READS(uint32_t, rlt_ring_runs, rlt_ring, runs, __ATOMIC_RELAXED)
RLT_READS(uint32_t, rlt_ring_mode, rlt_ring, mode, __ATOMIC_RELAXED)
static inline void rlt_ring_set_runs(rlt_ring *ring, uint32_t runs, uint32_t mode) {
  __atomic_store_n(&ring->runs, runs, __ATOMIC_RELAXED);
  __atomic_store_n(&ring->mode, mode, __ATOMIC_RELAXED);
}
RLT_READS(uint64_t, rlt_ring_lost_pending, rlt_ring, lost_pending, __ATOMIC_RELAXED)

RLT_READS(uint64_t, rlt_life_phase, rlt_life, phase, __ATOMIC_ACQUIRE)
RLT_READS(uint64_t, rlt_life_since_ns, rlt_life, since_ns, __ATOMIC_RELAXED)
RLT_READS(uint64_t, rlt_life_os_thread, rlt_life, os_thread, __ATOMIC_RELAXED)

#endif
