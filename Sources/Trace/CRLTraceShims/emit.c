#define _GNU_SOURCE
#include "rltrace_emit.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>

#include "rltrace_platform.h"
#include "rltrace_rest.h"
#include "rltrace_spool_rings.h"
#include "rltrace_vocabulary.h"

RLT_TLS rlt_thread_state rlt_thread;
rlt_recording rlt_current;
rlt_life rlt_current_life;

// The ring that threads share if they run no loop and find no free ring. A lock of this process guards it. It takes
// only events that mean the same on any thread, see `needs_own_ring`.
static rlt_ring *shared_ring;
static int share_lock;

// The key frees the ring when its thread ends. A thread-specific key is the only portable hook.
static pthread_key_t thread_end_key;
#if defined(__has_feature)
#define HAS_FEATURE(name) __has_feature(name)
#else
#define HAS_FEATURE(name) 0
#endif
#if defined(PTHREAD_DESTRUCTOR_ITERATIONS) && HAS_FEATURE(thread_sanitizer)
enum { DESTRUCTOR_ROUNDS = PTHREAD_DESTRUCTOR_ITERATIONS - 1 };  // the sanitizer forgets a thread in the last round
#elif defined(PTHREAD_DESTRUCTOR_ITERATIONS)
enum { DESTRUCTOR_ROUNDS = PTHREAD_DESTRUCTOR_ITERATIONS };
#else
enum { DESTRUCTOR_ROUNDS = 4 };
#endif
static pthread_once_t thread_end_once = PTHREAD_ONCE_INIT;

// The key's value: the address of the thread's ring, plus the completed rounds of destructors. It is not kept in
// `rlt_thread`, because dyld frees an ending thread's variables, and a destructor that uses them again finds zeros.
enum { ROUNDS_MASK = 7 };
_Static_assert(DESTRUCTOR_ROUNDS <= ROUNDS_MASK, "the rounds fit into the low bits of an address");

static int is_of_this_recording(const rlt_ring *ring) {
  const char *at = (const char *)ring, *spool = (const char *)rlt_current_spool();
  return rlt_recording_session() != 0 && at > spool && at < spool + ((const rlt_spool *)(const void *)spool)->bytes;
}

// Destructors of other keys may still emit: CoreFoundation tears down a thread's run loop in one of them. So the ring
// is given back in the last round of destructors, and the thread gets no ring after that.
static void thread_ended(void *value) {
  uintptr_t rounds = ((uintptr_t)value & ROUNDS_MASK) + 1;
  rlt_ring *ring = (rlt_ring *)((uintptr_t)value & ~(uintptr_t)ROUNDS_MASK);
  if (rounds > DESTRUCTOR_ROUNDS) return;
  pthread_setspecific(thread_end_key, (void *)((uintptr_t)ring | rounds));
  if (rounds < DESTRUCTOR_ROUNDS) return;
  if (is_of_this_recording(ring)) rlt_ring_set_state(ring, RLT_RING_ORPHANED);
  rlt_thread.ring = NULL;
  rlt_thread.is_left_out = 1;
}

static int has_thread_end_key;

static void make_thread_end_key(void) { has_thread_end_key = pthread_key_create(&thread_end_key, thread_ended) == 0; }

// Returns whether the thread has given its ring back permanently, or could not give one back: the program has all keys.
static int has_ended(void) {
  pthread_once(&thread_end_once, make_thread_end_key);
  if (!has_thread_end_key) return 1;
  return ((uintptr_t)pthread_getspecific(thread_end_key) & ROUNDS_MASK) == DESTRUCTOR_ROUNDS;
}

// Sets the ring to give back. Keeps the number of rounds: an ending thread may get a ring in a destructor.
static void give_back_at_end(rlt_ring *ring) {
  uintptr_t rounds = (uintptr_t)pthread_getspecific(thread_end_key) & ROUNDS_MASK;
  pthread_setspecific(thread_end_key, (void *)((uintptr_t)ring | rounds));
}

void rlt_abandon_ring(void) {
  rlt_thread_state *thread = &rlt_thread;
  // A ring of an earlier recording no longer has an owner.
  if (thread->ring != NULL && thread->session == rlt_recording_session())
    rlt_ring_set_state(thread->ring, RLT_RING_ORPHANED);
  thread->ring = NULL;
}

#if !defined(RLT_TLS_INITIAL_EXEC)
// A forked child has a copy of the rings' addresses and shares their memory, so it must not write to them.
static void stop_in_child(void) { __atomic_store_n(&rlt_current.session, 0, __ATOMIC_RELEASE); }
static pthread_once_t fork_once = PTHREAD_ONCE_INIT;
static void watch_forks(void) { pthread_atfork(NULL, NULL, stop_in_child); }
#endif

// A search of all rings takes a while. If no ring was free, a thread searches again after this time. Threads with
// loops may use more rings, so the time is kept separately for them.
enum { REST_WITHOUT_RING_NS = 10000000 };
static uint64_t ring_rests_until_ns[2];

void rlt_set_recording(uint32_t session, rlt_spool *spool, void (*call_drain)(int flushes)) {
  if (session != 0) {
    // The preload library has its own handler, which may begin another recording in the child.
#if !defined(RLT_TLS_INITIAL_EXEC)
    pthread_once(&fork_once, watch_forks);
#endif
    uint32_t uses_cycles = (spool->flags & RLT_SPOOL_USES_CYCLES) != 0;
    if (rlt_current.uses_cycles != uses_cycles) rlt_current.uses_cycles = uses_cycles;
    __atomic_store_n(&rlt_current.spool, spool, __ATOMIC_RELAXED);
    __atomic_store_n(&rlt_current.call_drain, call_drain, __ATOMIC_RELAXED);
    __atomic_store_n(&rlt_current.queue_ring, NULL, __ATOMIC_RELAXED);
    __atomic_store_n(&rlt_current_life.phase, 0, __ATOMIC_RELEASE);
    shared_ring = NULL;
    __atomic_store_n(&share_lock, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&ring_rests_until_ns[0], 0, __ATOMIC_RELAXED);
    __atomic_store_n(&ring_rests_until_ns[1], 0, __ATOMIC_RELAXED);
  }
  __atomic_store_n(&rlt_current.session, session, __ATOMIC_RELEASE);
}

static rlt_ring *claim_ring(rlt_spool *spool, int runs_loop) {
  uint64_t *rests_until = &ring_rests_until_ns[runs_loop != 0];
  uint64_t end = __atomic_load_n(rests_until, __ATOMIC_RELAXED);
  if (end != 0 && rlt_monotonic_ns() < end) return NULL;
  int is_scarce = 0;
  rlt_ring *ring = rlt_spool_claim(spool, runs_loop, &is_scarce);
  if (ring == NULL) __atomic_store_n(rests_until, rlt_monotonic_ns() + REST_WITHOUT_RING_NS, __ATOMIC_RELAXED);
  // The drain prepares memory for the next thread.
  if (is_scarce || (ring != NULL && rlt_ring_backed(ring) == 0)) rlt_call_drain(is_scarce);
  return ring;
}

static int is_left_out(const rlt_spool *spool) {
  return (spool->flags & RLT_SPOOL_MAIN_THREAD_ONLY) != 0 && !rlt_is_main_thread();
}

static rlt_ring *ring_of_this_recording(uint32_t session) {
  rlt_thread_state *thread = &rlt_thread;
  if (thread->session == session && (thread->ring != NULL || thread->is_left_out)) return thread->ring;
  if (thread->session != session) {
    thread->session = session;
    thread->depth = 0;
    thread->mode = 0;
    thread->runs_loop = 0;
    thread->has_lost = 0;
    thread->is_left_out = (uint8_t)(is_left_out(rlt_current_spool()) || has_ended());
    thread->ring = NULL;
    if (thread->is_left_out) return NULL;
  }
  thread->ring = claim_ring(rlt_current_spool(), thread->runs_loop);
  if (thread->ring == NULL) return NULL;
  give_back_at_end(thread->ring);
  return thread->ring;
}

void rlt_join_recording(void) {
  uint32_t session = rlt_recording_session();
  rlt_thread_state *thread = &rlt_thread;
  if (session == 0 || (thread->session == session && thread->runs_loop)) return;
  if (thread->session != session) ring_of_this_recording(session);
  thread->runs_loop = 1;
  if (thread->ring == NULL) ring_of_this_recording(session);
}

uint32_t rlt_join_as_recorder(void) {
  uint32_t session = rlt_recording_session();
  rlt_thread_state *thread = &rlt_thread;
  if (session == 0) return UINT32_MAX;
  ring_of_this_recording(session);
  thread->is_left_out = 0;
  thread->runs_loop = 1;
  rlt_ring *ring = thread->ring != NULL ? thread->ring : ring_of_this_recording(session);
  return ring == NULL ? UINT32_MAX : ring->thread;
}

static void unlock_shared_ring(void) { __atomic_store_n(&share_lock, 0, __ATOMIC_RELEASE); }

// Returns the shared ring, locked. Returns NULL if there is none, or if it stays locked: its owner may be waiting for
// this very thread, when a signal handler stores an event.
static rlt_ring *lock_shared_ring(rlt_spool *spool) {
  // About 50 ms in all: the owner may have to wait for a processor.
  enum { TRIES = 700, BUSY_TRIES = 100 };
  static const struct timespec rest = {.tv_nsec = 20000};
  int tries = 0, kept_errno = errno;
  for (int is_locked = 0;
       !__atomic_compare_exchange_n(&share_lock, &is_locked, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED); is_locked = 0) {
    if (++tries == TRIES) return NULL;
    if (tries <= BUSY_TRIES) continue;
    nanosleep(&rest, NULL);
    errno = kept_errno;
  }
  if (shared_ring == NULL) shared_ring = rlt_spool_claim_shared(spool);
  if (shared_ring == NULL) unlock_shared_ring();
  return shared_ring;
}

// The number of slots to back with memory starts at a page and doubles each time. A thread's first event waits for as
// little memory as possible, and a busy thread rarely asks for more.
enum { FIRST_SLOTS_BACKED = 256, MOST_SLOTS_BACKED = 4096 };

static uint64_t slots_to_back(uint64_t behind) {
  return behind < FIRST_SLOTS_BACKED ? FIRST_SLOTS_BACKED : behind > MOST_SLOTS_BACKED ? MOST_SLOTS_BACKED : behind;
}

// Counts an event that is lost to a full disk. The counts are in the ring, whose words are written anyway: on a full
// btrfs, each page that is written again takes a millisecond.
static void note_full_disk(rlt_ring *ring) {
  __atomic_store_n(&ring->full_disk_lost, ring->full_disk_lost + 1, __ATOMIC_RELAXED);
  __atomic_store_n(&ring->full_disk_pending, ring->full_disk_pending + 1, __ATOMIC_RELAXED);
}

// Makes sure that slots up to `needed_end` can be stored into, and sets the ring's limit to the end of such slots, at
// most `end`. A spool's file has holes. If its disk is full, storing into a hole would kill the program with SIGBUS.
// Returns 0 if there is no memory; the event is lost.
static int back_ring(rlt_spool *spool, rlt_ring *ring, uint64_t needed_end, uint64_t end) {
  uint64_t behind = rlt_ring_backed(ring);
  if (behind < ring->capacity && needed_end > behind) {
    uint64_t ahead = behind + slots_to_back(behind);
    uint64_t wanted = ahead > needed_end ? ahead : needed_end;
    if (wanted > ring->capacity) wanted = ring->capacity;
    if (!rlt_spool_back_ring(spool, ring, wanted)) {
      note_full_disk(ring);
      return 0;
    }
    behind = wanted;
  }
  ring->limit = behind < ring->capacity && behind < end ? behind : end;
  return 1;
}

// A ring that overwrites never fills. Each sixteenth of it has a mark at which a record begins, so that a reader can
// start near the oldest event. A position where an event found no room gets no mark, because no record begins there.
static int room_over_oldest(rlt_spool *spool, rlt_ring *ring, uint64_t needed) {
  if (ring->head + needed <= ring->limit) return 1;
  if (ring->capacity == 0) return 0;  // the file was truncated
  uint64_t part = ring->capacity / RLT_RING_MARKS, count = ring->mark_count;
  uint64_t marked = count == 0 ? 0 : rlt_ring_mark(ring, count - 1);
  int is_due = count == 0 || ring->head - marked >= part;
  if (!back_ring(spool, ring, ring->head + needed, (is_due ? ring->head : marked) + part)) return 0;
  if (is_due) {
    ring->marks[count % RLT_RING_MARKS] = ring->head;
    __atomic_store_n(&ring->mark_count, count + 1, __ATOMIC_RELEASE);
    rlt_spool_note_clocks(spool);
  }
  return 1;
}

// The drain sleeps while few events arrive, and is woken once a quarter of the ring is filled. So a thread has to take
// this path at least once for each quarter.
static int room_behind_newest(rlt_spool *spool, rlt_ring *ring, uint64_t needed) {
  uint64_t tail = __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE), needed_end = ring->head + needed;
  uint64_t end = tail + ring->capacity, quarter = ring->capacity / 4;
  if (needed_end <= end) {
    if (needed_end - tail > quarter) rlt_call_drain(0);
    return back_ring(spool, ring, needed_end, needed_end + quarter < end ? needed_end + quarter : end);
  }
  if (rlt_spool_is_disk_full(spool)) note_full_disk(ring);
  return 0;
}

// Returns whether an event is meaningful only in sequence with the other events of its thread. If several threads
// stored such events into one ring, the trace would show runs and callouts that never happened.
static int needs_own_ring(uint8_t kind) {
  static const uint64_t kinds[] = RLT_KINDS_OF_ONE_THREAD;
  return (kinds[kind / 64] >> kind % 64 & 1) != 0;
}

static rlt_ring *with_room(rlt_spool *spool, rlt_ring *ring, uint64_t slots);

// Returns the thread's own ring with room or, if it has none, the shared ring, which is then locked. NULL = the event
// is lost.
static rlt_ring *find_room(uint64_t slots, int may_share) {
  uint32_t session = rlt_recording_session();
  if (session == 0) return NULL;
  rlt_spool *spool = rlt_current_spool();
  // The next recording may have begun meanwhile.
  if (rlt_recording_session() != session) return NULL;
  if (__atomic_load_n(&spool->is_stopped, __ATOMIC_RELAXED) != 0) {
    __atomic_store_n(&rlt_current.session, 0, __ATOMIC_RELEASE);
    return NULL;
  }
  rlt_ring *ring = ring_of_this_recording(session);
  if (ring != NULL) return with_room(spool, ring, slots);
  if (rlt_thread.is_left_out) return NULL;
  rlt_ring *shared = may_share && !rlt_thread.runs_loop ? lock_shared_ring(spool) : NULL;
  if (shared == NULL) {
    __atomic_fetch_add(&spool->ringless_lost, 1, __ATOMIC_RELAXED);
    rlt_thread.has_lost = 1;
    return NULL;
  }
  ring = with_room(spool, shared, slots);
  if (ring == NULL) unlock_shared_ring();
  return ring;
}

rlt_ring *rlt_ring_with_room(uint64_t slots) { return find_room(slots, 0); }

static void count_loss(rlt_ring *ring) {
  __atomic_store_n(&ring->lost_pending, ring->lost_pending + 1, __ATOMIC_RELAXED);
  // A smaller event that would still fit takes the slow path as well, and notes the loss first.
  ring->limit = ring->head;
}

void rlt_note_loss(void) {
  if (rlt_own_ring(0) != NULL) count_loss(rlt_thread.ring);
}

static rlt_ring *with_room(rlt_spool *spool, rlt_ring *ring, uint64_t slots) {
  // A note about lost events takes two slots. It is stored first, at the position of the loss. Events that the thread
  // lost before it had a ring are counted elsewhere; the note does not count them.
  uint64_t lost = ring->lost_pending;
  int is_first_note = ring == rlt_thread.ring && rlt_thread.has_lost;
  int is_note_due = lost != 0 || is_first_note;
  uint64_t needed = slots + (is_note_due ? 2 : 0);
  int overwrites = (spool->flags & RLT_SPOOL_OVERWRITES) != 0;
  if (!(overwrites ? room_over_oldest(spool, ring, needed) : room_behind_newest(spool, ring, needed))) {
    count_loss(ring);
    return NULL;
  }
  if (is_note_due) {
    if (is_first_note) rlt_thread.has_lost = 0;
    rlt_store(rlt_slot(ring, ring->head), rlt_stamp(), RLT_KIND_LOST_EVENTS, rlt_thread.mode, 0, 2);
    rlt_arguments arguments = {lost, ring->full_disk_pending};
    memcpy(rlt_slot(ring, ring->head + 1), &arguments, sizeof arguments);
    __atomic_store_n(&ring->lost_pending, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&ring->full_disk_pending, 0, __ATOMIC_RELAXED);
    rlt_publish(ring, ring->head + 2);
  }
  return ring;
}

// A mark that repeats the current phase is ignored.
static void note_phase(uint64_t phase) {
  if (phase == rlt_life_phase(&rlt_current_life)) return;
  __atomic_store_n(&rlt_current_life.since_ns, rlt_monotonic_ns(), __ATOMIC_RELAXED);
  __atomic_store_n(&rlt_current_life.os_thread, rlt_os_thread_id(), __ATOMIC_RELAXED);
  __atomic_store_n(&rlt_current_life.phase, phase, __ATOMIC_RELEASE);
  rlt_wake();
  rlt_call_drain(0);
}

// `happened`: the event's stamp; 0 = now.
static inline void emit_arguments(
    uint64_t happened, uint8_t kind, uint8_t mode, uint32_t object, const uint64_t *arguments, uint8_t count) {
  uint64_t slots = 1 + ((uint64_t)count + 1) / 2;
  rlt_ring *ring = rlt_own_ring(slots);
  if (ring == NULL) ring = find_room(slots, !needs_own_ring(kind));
  if (ring == NULL) return;
  uint64_t stamp = happened != 0 ? happened : rlt_stamp();
  rlt_store(rlt_slot(ring, ring->head), stamp, kind, mode, object, count);
  rlt_store_arguments(ring, ring->head + 1, arguments, count);
  rlt_publish(ring, ring->head + slots);
  if (__builtin_expect(ring != rlt_thread.ring, 0)) unlock_shared_ring();
}

void rlt_emit_arguments(
    uint8_t kind, uint8_t mode, uint32_t object, const uint64_t *arguments, uint8_t count) {
  if (kind == RLT_KIND_LIFE_CYCLE && count > 0) note_phase(arguments[0]);
  emit_arguments(0, kind, mode, object, arguments, count);
}

void rlt_emit_late(
    uint64_t stamp, uint8_t kind, uint8_t mode, uint32_t object, const uint64_t *arguments, uint8_t count) {
  emit_arguments(stamp, kind, mode, object, arguments, count);
}

void rlt_emit_one_by_one(uint64_t kinds, uint8_t mode, uint32_t object) {
  for (; kinds != 0; kinds >>= 8) rlt_emit_arguments((uint8_t)kinds, mode, object, NULL, 0);
}

void rlt_emit_timer_begin(uint8_t due_kind, uint8_t begin_kind, uint32_t object, uint64_t due_monotonic_ns) {
  rlt_ring *ring = rlt_ring_for(3);
  if (ring == NULL) return;
  uint64_t stamp = rlt_stamp();
  rlt_store(rlt_slot(ring, ring->head), stamp, due_kind, rlt_thread.mode, object, 1);
  rlt_store_arguments(ring, ring->head + 1, &due_monotonic_ns, 1);
  rlt_store(rlt_slot(ring, ring->head + 2), stamp, begin_kind, rlt_thread.mode, object, 0);
  rlt_publish(ring, ring->head + 3);
}
