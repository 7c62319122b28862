#define _GNU_SOURCE
#include "rltrace_sentinel.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "rltrace_accounts.h"
#include "rltrace_emit.h"
#include "rltrace_frame_sources.h"
#include "rltrace_platform.h"
#include "rltrace_rest.h"
#include "rltrace_sample.h"
#include "rltrace_stack_images.h"
#include "rltrace_topology.h"
#include "rltrace_vocabulary.h"

// The state of a ring's thread since its loop last waited: a busy period. Events of short callouts do not end it.
typedef struct {
  uint64_t head;
  uint64_t last_head;     // the head at the last look, even if no run was active
  uint64_t os_thread;
  uint64_t named;         // its id in events: `os_thread`, or 0 for the main queue, whatever thread serves it
  uint64_t since_ns;
  uint64_t next_ns;       // the time of the next sample
  uint64_t beats, more;   // beats to the next sample, and the increase if the stack stays the same
  uint64_t stack;         // a hash of the last stack
  uint32_t repeats;       // how often it was seen in a row
  uint32_t samples;       // how many stacks of the period were sampled
  uint64_t limit_ns;      // the limit of the phase in which the period began; 0 = none
  uint32_t spins;         // how often, in total, the thread was sampled because its loop did not pause
  rlt_accounts accounts;  // of the processor time of its thread
  int has_snapshot;       // a snapshot of its loop was recorded when the period became a stall
} watched;

// Repetitions of a stack say little. After some of them, the time between two samples grows, but only to a share of the
// busy period: the function that ran last may have begun between them.
enum { REPEATS_AT_EACH_BEAT = 5, INTERVALS_IN_PERIOD = 8 };

// A period may begin a beat before it is seen, and a watchdog acts at its limit, so sampling begins two beats before
// the limit.
enum { BEATS_BEFORE_LIMIT = 2 };

// A thread that never waits is sampled at each beat at first, then less often: its samples cost time and space.
enum { SAMPLES_AT_EACH_BEAT = 250, BEATS_OF_LONG_STAY = 10 };

// The number of events between two looks that are read to see whether the loop waited.
enum { EVENTS_READ = 512 };

// A loop that stores this many events per millisecond does not pause. A few samples show the code that runs it.
enum { SPINNING_EVENTS_PER_MS = 10, SPINNING_SAMPLES = 10 };

// While there are frame sources, stacks are sampled at half the shortest interval, but not more often than this.
enum { SHORTEST_BEAT_NS = 1000000 };

static rlt_sentinel_options options;
static uint64_t beat_ns;  // the current time between two checks of a busy thread: that of the options, or less
static uint64_t sampled_after_ns;  // the stay from which on stacks are sampled
static watched rings[RLT_SPOOL_RINGS];
static uint32_t rings_watched;  // the number of rings that were ever checked, from the first on
static watched launch;  // the thread that marked the launch, until it runs a loop
static uint64_t frames[2 + RLT_FRAMES_MAX];
static pthread_t sentinel;
static int is_running;
enum { GOES_ON = 0, IS_TO_END = 1, ENDED_ITSELF = 2, LEAVES = 3 };
static int sentinel_state;
static uint64_t looked_ns;  // when it checked last
static uint64_t sentinel_id;  // its operating system id; 0 = not started yet
static uint32_t own_thread;  // its index in the trace; all ones = not recorded yet

// Returns whether the slot before `at` holds an event of this kind, with this number of arguments. It may hold
// arguments instead. If they look like the event (same kind, seven zero bytes), only samples are lost.
static int holds(const rlt_ring *ring, uint64_t at, uint8_t kind, uint8_t arguments) {
  const rlt_record *last = rlt_slot((rlt_ring *)ring, at - 1);
  return last->kind == kind && last->arguments == arguments && last->reserved == 0;
}

// Returns whether the last event is that of a waiting loop, or the end of work on a thread without a loop: such a
// thread waits for more. Why a slice of a task ended is an argument.
static int is_waiting(const rlt_ring *ring, uint64_t head) {
  if (holds(ring, head, RLT_KIND_BEFORE_WAITING_LOW + 1, 0)) return 1;
  if (rlt_ring_mode(ring) != 0) return 0;
  return holds(ring, head, RLT_KIND_WORK_BEGIN + 1, 0)
         || (head > 1 && holds(ring, head - 1, RLT_KIND_WORK_BEGIN + 1, 1));
}

// Returns whether a thread's loop is known not to have waited since the last look.
static int is_busy_since(const rlt_ring *ring, const watched *seen, uint64_t head, uint64_t thread) {
  if (seen->head == 0 || seen->os_thread != thread || head < seen->head) return 0;
  if (head - seen->head > EVENTS_READ || head - seen->head >= ring->capacity) return 0;
  for (uint64_t at = seen->head; at <= head; at++) {
    const rlt_record *event = rlt_slot((rlt_ring *)ring, at - 1);
    // The drain gives back the memory of slots; the slots then read as zeros.
    if (is_waiting(ring, at) || (event->stamp == 0 && event->kind == 0)) return 0;
  }
  return 1;
}

// Returns why a stack was not sampled; 0 = it was, the thread moved on, or the user wants no signals.
static uint64_t why_unsampled(rlt_sample_result result) {
  switch (result) {
    case RLT_SIGNAL_IS_TAKEN: return options.signal == 0 ? 0 : RLT_UNSAMPLED_SIGNAL_TAKEN;
    case RLT_DOES_NOT_ANSWER: return RLT_UNSAMPLED_SIGNAL_BLOCKED;
    case RLT_PLACE_IS_HIDDEN: return RLT_UNSAMPLED_PLACE_HIDDEN;
    case RLT_CALLS_ARE_FILTERED: return options.signal == 0 ? 0 : RLT_UNSAMPLED_CALLS_FILTERED;
    default: return 0;
  }
}

// Samples and records a stack. Returns a hash of it, 0 if there is none.
static uint64_t emit_stack(
    uint64_t thread, uint64_t named, const rlt_thread_evidence *evidence, uint64_t reason) {
  size_t count;
  rlt_sample_result result = rlt_sample(thread, evidence, options.signal, frames + 2, &count);
  uint64_t why = why_unsampled(result);
  if (why != 0) rlt_emit_inline(RLT_KIND_THREAD_UNSAMPLED, 0, 0, (const uint64_t[]){named, why}, 2);
  if (result != RLT_SAMPLED || count == 0) return 0;
  frames[0] = named;
  frames[1] = reason;
  uint64_t hash = 14695981039346656037u;
  for (size_t i = 0; i < count; i++) {
    rlt_note_image(frames[2 + i]);
    hash = (hash ^ frames[2 + i]) * 1099511628211u;
  }
  rlt_emit_arguments(RLT_KIND_THREAD_STACK, 0, 0, frames, (uint8_t)(2 + count));
  return hash | 1;
}

static void sample(watched *seen, uint64_t now, uint64_t reason) {
  rlt_thread_evidence evidence, owner;
  if (!rlt_read_thread_evidence(seen->os_thread, &evidence)) return;
  if (reason == RLT_STACK_OF_SPINNING) rlt_emit_thread_state(seen->named, &evidence, 0);
  else rlt_sample_accounts(&seen->accounts, seen->named, &evidence);
  uint64_t stack = emit_stack(seen->os_thread, seen->named, &evidence, reason);
  if (evidence.awaited_thread != 0 && evidence.awaited_thread != seen->os_thread
      && rlt_read_thread_evidence(evidence.awaited_thread, &owner)) {
    rlt_emit_thread_state(evidence.awaited_thread, &owner, 0);
    emit_stack(evidence.awaited_thread, evidence.awaited_thread, &owner, RLT_STACK_OF_OWNER);
  }
  // 1, 2, 3, 5 … beats.
  uint64_t longer = seen->beats + seen->more;
  if (stack == 0 || stack != seen->stack) {
    seen->beats = seen->more = 1;
    seen->repeats = 0;
  } else if (
      ++seen->repeats >= REPEATS_AT_EACH_BEAT && longer * INTERVALS_IN_PERIOD * beat_ns <= now - seen->since_ns) {
    seen->more = seen->beats;
    seen->beats = longer;
  }
  if (++seen->samples >= SAMPLES_AT_EACH_BEAT && seen->beats < BEATS_OF_LONG_STAY) seen->beats = BEATS_OF_LONG_STAY;
  seen->stack = stack;
  seen->next_ns = now + seen->beats * beat_ns;
}

// Records a fact for readers of the trace.
static void say(const char *key, uint64_t value) {
  char number[24];
  int length = snprintf(number, sizeof number, "%llu", (unsigned long long)value);
  rlt_spool_append(rlt_current_spool(), RLT_NAME_INFO, 0, 0, key, strlen(key) + 1, number, (size_t)length);
}

// Returns whether the sentinel has its own ring in the recording, which its events need. Gets one if necessary.
static int is_recorded(void) {
  if (own_thread != UINT32_MAX) return 1;
  own_thread = rlt_join_as_recorder();
  if (own_thread == UINT32_MAX) return 0;
  say("recorder_thread", own_thread);
  say("stall_threshold_ns", options.threshold_ns);
  return 1;
}

// Returns the number of used rings, at most RLT_SPOOL_RINGS even if the file says otherwise.
static uint32_t used_rings(const rlt_spool *spool) {
  uint32_t used = rlt_spool_rings_used(spool);
  return used < RLT_SPOOL_RINGS ? used : RLT_SPOOL_RINGS;
}

static uint64_t limit_of(uint64_t phase) { return phase < RLT_PHASES ? options.limits_ns[phase] : 0; }

// Returns whether a watchdog with this limit may end the program before the next check.
static int is_at_limit(const watched *seen, uint64_t now) {
  uint64_t busy_ns = now - seen->since_ns;
  return seen->limit_ns != 0 && busy_ns + BEATS_BEFORE_LIMIT * beat_ns >= seen->limit_ns
         && busy_ns <= seen->limit_ns + beat_ns;
}

// Checks the launch, from the mark until the marking thread runs a loop. Returns whether it was sampled.
static int look_at_launch(rlt_spool *spool, uint64_t now) {
  uint64_t thread = rlt_life_os_thread(&rlt_current_life), since = rlt_life_since_ns(&rlt_current_life);
  if (rlt_life_phase(&rlt_current_life) != RLT_PHASE_LAUNCHING) return 0;
  if (launch.head != since)
    launch = (watched){
        .head = since, .os_thread = thread, .named = thread, .since_ns = since, .beats = 1, .more = 1,
        .limit_ns = limit_of(RLT_PHASE_LAUNCHING)};
  for (uint32_t i = 0; i < used_rings(spool) && launch.limit_ns != 0; i++) {
    const rlt_ring *ring = rlt_spool_ring(spool, i);
    if (ring->os_thread == thread && rlt_ring_state(ring) == RLT_RING_OWNED && rlt_ring_runs(ring) != 0)
      launch.limit_ns = 0;
  }
  if (!is_at_limit(&launch, now) || !is_recorded()) return 0;
  sample(&launch, now, RLT_STACK_OF_LIMIT);
  return 1;
}

// Returns whether a thread's loop stored events without a pause since the last look, and is to be sampled for that.
static int is_spinning(const watched *seen, uint64_t head, uint64_t thread, uint64_t now, int waits) {
  return !waits && seen->last_head != 0 && seen->os_thread == thread && seen->spins < SPINNING_SAMPLES
         && (head - seen->last_head) * 1000000 >= SPINNING_EVENTS_PER_MS * (now - looked_ns);
}

// Returns whether a thread of the ring is outside runs and ended one last.
static int ended_run(const rlt_ring *ring, uint64_t head) {
  return rlt_ring_state(ring) == RLT_RING_OWNED && rlt_ring_runs(ring) == 0 && head > 1
         && holds(ring, head - 1, RLT_KIND_RUN_BEGIN + 1, 1);
}

// Returns when the last event was stored; `now` if that was not since the last look, or if the slot holds arguments.
// The begin of work has one.
static uint64_t time_of_last(const rlt_ring *ring, uint64_t head, uint64_t now) {
  const rlt_spool *spool = rlt_current_spool();
  if (head > 1 && holds(ring, head - 1, RLT_KIND_WORK_BEGIN, 1)) head -= 1;
  uint64_t at = rlt_slot((rlt_ring *)ring, head - 1)->stamp;
  if ((spool->flags & RLT_SPOOL_USES_CYCLES) != 0) {
    const rlt_clock_reading *first = &spool->origin, *later = &spool->later;
    if (later->ticks <= first->ticks) return now;
    double ns_per_tick = (double)(later->monotonic_ns - first->monotonic_ns) / (double)(later->ticks - first->ticks);
    at = later->monotonic_ns + (uint64_t)(int64_t)((double)(int64_t)(at - later->ticks) * ns_per_tick);
  }
  return at >= looked_ns && at <= now ? at : now;
}

typedef enum { IS_IDLE, IS_BUSY, STALLS_OR_SPINS } loop_state;

// Checks a ring's thread. May sample it if it stalls or spins.
static loop_state look(const rlt_ring *ring, watched *seen, uint64_t now, int was_late) {
  uint64_t head = rlt_ring_head(ring), thread = rlt_ring_os_thread(ring);
  if (rlt_ring_state(ring) != RLT_RING_OWNED || rlt_ring_runs(ring) == 0 || head == 0) {
    // A run of an empty mode ends at once, so a check rarely finds such a run open.
    int spinning = ended_run(ring, head) && is_spinning(seen, head, thread, now, 0);
    rlt_end_accounts(&seen->accounts, seen->os_thread, seen->named);
    if (spinning) {
      sample(seen, now, RLT_STACK_OF_SPINNING);
      seen->spins += 1;
    } else if (seen->os_thread != thread) {
      *seen = (watched){.os_thread = thread, .named = thread};
    }
    seen->head = 0;
    seen->last_head = head;
    return spinning ? STALLS_OR_SPINS : IS_IDLE;
  }
  int waits = is_waiting(ring, head);
  if (head != seen->head || thread != seen->os_thread) {
    uint64_t limit = limit_of(rlt_life_phase(&rlt_current_life));
    uint32_t spins = seen->os_thread == thread ? seen->spins : 0;
    int spinning = is_spinning(seen, head, thread, now, waits);
    if (spinning) sample(seen, now, RLT_STACK_OF_SPINNING);
    if (!spinning && is_busy_since(ring, seen, head, thread)) {
      seen->head = seen->last_head = head;
    } else {
      rlt_begin_accounts(&seen->accounts, thread, seen->named, seen->os_thread == thread);
      *seen = (watched){
          .head = head, .last_head = head, .os_thread = thread, .named = ring == rlt_queue_ring() ? 0 : thread,
          .accounts = seen->accounts,
          .since_ns = was_late ? now : time_of_last(ring, head, now), .beats = 1, .more = 1, .limit_ns = limit,
          .spins = spins + (uint32_t)spinning};
    }
    if (spinning) return STALLS_OR_SPINS;
    if (!waits && now - seen->since_ns < sampled_after_ns) return IS_BUSY;
  }
  if (waits) return IS_IDLE;
  int is_due = is_at_limit(seen, now), is_long = now - seen->since_ns >= sampled_after_ns;
  if (is_due || (is_long && now >= seen->next_ns))
    sample(seen, now, is_due ? RLT_STACK_OF_LIMIT : RLT_STACK_OF_STALLED);
  else
    rlt_note_account(&seen->accounts, seen->os_thread);
  if (!is_due && !is_long) return IS_BUSY;
  if (!seen->has_snapshot && now - seen->since_ns >= options.threshold_ns) {
    rlt_topology_snapshot_of_thread(seen->os_thread, (uint8_t)rlt_ring_mode(ring), RLT_SNAPSHOT_AT_STALL);
    seen->has_snapshot = 1;
  }
  return STALLS_OR_SPINS;
}

#if defined(__linux__)

#include <sys/syscall.h>
#include <unistd.h>

// Exits without the thread's usual end, which takes locks that may never be released during a crash.
static void leave_if_asked(void) {
  if (__atomic_load_n(&sentinel_state, __ATOMIC_ACQUIRE) != LEAVES) return;
  rlt_abandon_ring();
  for (;;) syscall(SYS_exit, 0);
}

void rlt_sentinel_leave(void) {
  enum { TRIES = 500 };
  static const struct timespec rest = {.tv_nsec = 200000};
  int state = GOES_ON;
  if (!is_running || __atomic_load_n(&sentinel_id, __ATOMIC_ACQUIRE) == rlt_os_thread_id()) return;
  __atomic_compare_exchange_n(&sentinel_state, &state, LEAVES, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
  rlt_wake();
  for (int i = 0; i < TRIES; i++) {
    uint64_t thread = __atomic_load_n(&sentinel_id, __ATOMIC_ACQUIRE);
    if (thread != 0 && syscall(SYS_tgkill, getpid(), (pid_t)thread, 0) != 0) return;
    nanosleep(&rest, NULL);
  }
}

// The program's new descriptors must have the numbers that they would have without this thread, which opens files. So
// it gets a table of its own, which is empty. Not possible before Linux 5.9.
static void leave_descriptors(void) {
#if defined(SYS_close_range) && defined(CLOSE_RANGE_UNSHARE)
  (void)syscall(SYS_close_range, 0u, ~0u, CLOSE_RANGE_UNSHARE);
#endif
}

#else

static void leave_descriptors(void) {}
static void leave_if_asked(void) {}
void rlt_sentinel_leave(void) {}

#endif

static int is_to_end(const rlt_spool *spool, uint32_t session) {
  leave_if_asked();
  return __atomic_load_n(&sentinel_state, __ATOMIC_ACQUIRE) != GOES_ON || rlt_recording_session() != session
         || __atomic_load_n(&spool->is_stopped, __ATOMIC_RELAXED) != 0;
}

// Sleeps until the given time. Returns 0 when the thread is to end.
static int sleep_until(uint64_t moment_ns, const rlt_spool *spool, uint32_t session) {
  for (;;) {
    uint32_t wakes = rlt_wakes();
    if (is_to_end(spool, session)) return 0;
    uint64_t now = rlt_monotonic_ns();
    if (now >= moment_ns) return 1;
    rlt_rest(wakes, moment_ns - now);
  }
}

// Sleeps while the app is in the background.
static void rest_while_quiet(const rlt_spool *spool, uint32_t session) {
  for (;;) {
    uint32_t wakes = rlt_wakes();
    if (!rlt_life_is_quiet() || is_to_end(spool, session)) return;
    rlt_rest(wakes, UINT64_MAX);
  }
}

// Follows the frame sources that are declared at the moment.
static void follow_frames(void) {
  uint64_t half_ns = rlt_shortest_frame_ns() / 2, threshold_ns = options.threshold_ns;
  beat_ns = options.beat_ns;
  if (half_ns != 0) {
    if (half_ns < SHORTEST_BEAT_NS) half_ns = SHORTEST_BEAT_NS;
    if (half_ns < beat_ns) beat_ns = half_ns;
    if (half_ns < threshold_ns) threshold_ns = half_ns;
  }
  // Samples from half the threshold on, so that a short stall also has some samples.
  sampled_after_ns = threshold_ns / 2;
}

// Checks the threads of all rings. Returns the greatest of their states. `*stored`: the number of events so far.
static loop_state look_at_all(rlt_spool *spool, uint64_t now, uint64_t late, uint64_t *stored) {
  loop_state most = IS_IDLE;
  *stored = 0;
  int was_late = late > options.beat_ns;
  rings_watched = used_rings(spool);
  for (uint32_t i = 0; i < rings_watched; i++) {
    // The process or the machine did not run during this time, so it does not count as busy.
    if (was_late) rings[i].since_ns += late;
    const rlt_ring *ring = rlt_spool_ring(spool, i);
    *stored += rlt_ring_head(ring);
    if (rlt_ring_runs(ring) != 0 && !is_recorded()) continue;
    loop_state what = look(ring, &rings[i], now, was_late);
    if (what > most) most = what;
  }
  if (was_late) launch.since_ns += late;
  if (look_at_launch(spool, now)) most = STALLS_OR_SPINS;
  return most;
}

// Records snapshots of the loops if another process has requested them.
static void answer_request(const rlt_spool *spool, uint32_t *answered) {
  uint32_t asked = rlt_spool_topology_requests(spool);
  if (asked == *answered) return;
  *answered = asked;
  for (uint32_t i = 0; i < used_rings(spool); i++) {
    const rlt_ring *ring = rlt_spool_ring(spool, i);
    if (rlt_ring_state(ring) == RLT_RING_OWNED)
      rlt_topology_snapshot_of_thread(ring->os_thread, (uint8_t)rlt_ring_mode(ring), RLT_SNAPSHOT_AT_REQUEST);
  }
}

static void *watch(void *context) {
  (void)context;
  __atomic_store_n(&sentinel_id, rlt_os_thread_id(), __ATOMIC_RELEASE);
  rlt_name_thread("rltrace-stalls");
  // An app's own function may need descriptors.
  if (options.on_beat == NULL) leave_descriptors();
  rlt_spool *spool = rlt_current_spool();
  uint32_t session = rlt_recording_session(), answered = 0;
  uint64_t stored = 0;
  int was_stalled = 0;
  uint64_t due = looked_ns + options.beat_ns;
  while (sleep_until(due, spool, session)) {
    uint64_t now = rlt_monotonic_ns();
    if (options.on_beat != NULL) options.on_beat(due);
    uint64_t stored_before = stored;
    if (!options.only_beats) follow_frames();
    loop_state most = options.only_beats ? IS_IDLE : look_at_all(spool, now, now - due, &stored);
    looked_ns = now;
    if (own_thread != UINT32_MAX) answer_request(spool, &answered);
    if (was_stalled && most != STALLS_OR_SPINS) rlt_end_sampling();
    was_stalled = most == STALLS_OR_SPINS;
    // A program that does nothing is not woken more often because of frame sources.
    due = now + (most != IS_IDLE ? beat_ns : 2 * (stored != stored_before ? beat_ns : options.beat_ns));
    if (most != IS_IDLE || !rlt_life_is_quiet()) continue;
    rest_while_quiet(spool, session);
    looked_ns = rlt_monotonic_ns();
    due = looked_ns;
  }
  // A suspension may have just ended.
  if (options.on_beat != NULL) options.on_beat(due);
  rlt_end_sampling();
  // The recording is over but the program continues, so no thread will join this one.
  int state = GOES_ON;
  if (__atomic_compare_exchange_n(&sentinel_state, &state, ENDED_ITSELF, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    pthread_detach(pthread_self());
  return NULL;
}

int rlt_sentinel_start(const rlt_sentinel_options *wanted) {
  if (is_running || wanted->beat_ns == 0) return 0;
  options = *wanted;
  rlt_forget_all_frames();
  follow_frames();
  // Few rings are in use. Unused rings stay untouched and need no memory.
  memset(rings, 0, rings_watched * sizeof *rings);
  rings_watched = 0;
  memset(&launch, 0, sizeof launch);
  own_thread = UINT32_MAX;
  rlt_forget_images();
  __atomic_store_n(&sentinel_state, GOES_ON, __ATOMIC_RELEASE);
  __atomic_store_n(&sentinel_id, 0, __ATOMIC_RELEASE);
  // The program's signals must be delivered to the program's threads.
  sigset_t all, kept;
  pthread_attr_t attributes;
  sigfillset(&all);
  // SIGBUS reports a spool that another process truncated; see rlt_guard_mapping.
  sigdelset(&all, SIGBUS);
  pthread_sigmask(SIG_SETMASK, &all, &kept);
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 256 << 10);
  // The start of the thread may be what is late.
  looked_ns = rlt_monotonic_ns();
  is_running = pthread_create(&sentinel, &attributes, watch, NULL) == 0;
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &kept, NULL);
  return is_running;
}

void rlt_sentinel_stop(void) {
  if (!is_running) return;
  int state = __atomic_exchange_n(&sentinel_state, IS_TO_END, __ATOMIC_ACQ_REL);
  rlt_wake();
  if (state != ENDED_ITSELF) pthread_join(sentinel, NULL);
  is_running = 0;
}

void rlt_sentinel_forget(void) { is_running = 0; }
