#include "loops.h"

#include "code.h"
#include "empty_runs.h"
#include "images.h"
#include "loop_state.h"
#include "names.h"
#include "objects.h"
#include "recording.h"
#include "symbols.h"

enum { MODES_MAX = 256 };

// The modes of a thread's loop that have observers. Each loop runs on one thread only. Other threads use `loop`, `next`
// and the modes, with the tables locked.
typedef struct attachment {
  struct attachment *next;
  void *loop;
  uint32_t object;   // of the loop
  uint32_t session;  // in which the object is known
  int count;
  struct {
    void *name;  // retained
    rlt_observed_mode *observed;
    uint8_t id;
  } modes[MODES_MAX];
} attachment;

static RLT_TLS attachment *attached;
static attachment *attachments;
static int has_other_observers;  // the program added an observer to any loop
static pthread_key_t thread_end_key_;
static int has_thread_end_key_;
static pthread_once_t thread_end_once_ = PTHREAD_ONCE_INIT;

void *rlp_main_loop(void) {
  __auto_type get = RLP_REAL(void *(*)(void), CFRunLoopGetMain);
  return get == NULL ? NULL : get();
}

static uint32_t loop_name(void *loop, int is_callers) {
  char name[96], thread[64] = "";
  if (loop == rlp_main_loop()) return rlp_string("main");
  if (is_callers) rlt_copy_thread_name(thread, sizeof thread);
  if (thread[0] == 0) {
    snprintf(name, sizeof name, "loop-%lx", (unsigned long)(uintptr_t)loop);
    return rlp_string(name);
  }
  snprintf(name, sizeof name, "loop of %s", thread);
  uint32_t string = rlp_string(name), number = rlp_times_used(string);
  if (number == 1) return string;
  // Threads with the same name have separate loops.
  snprintf(name, sizeof name, "loop of %s (%u)", thread, number);
  return rlp_string(name);
}

static void describe_loop(void *loop, uint32_t object, int is_callers) {
  RLP_EMIT(RLT_KIND_LOOP_CREATE, 0, object, loop_name(loop, is_callers));
  void *const *common = RLP_REAL(void *const *, kCFRunLoopDefaultMode);
  if (common == NULL) return;
  uint8_t mode = rlp_mode(*common);
  RLP_EMIT(RLT_KIND_LOOP_ADD_COMMON_MODE, 0, object, mode);
  rlt_topology_loop(object, loop, mode, is_callers ? rlt_os_thread_id() : 0);
}

static attachment *attachment_of(void *loop);

static int is_current(void *loop) {
  __auto_type is_current = RLP_REAL(rlp_boolean (*)(void *), _CFRunLoopIsCurrent);
  return is_current != NULL && is_current(loop);
}

static uint32_t loop_object(void *loop, int is_callers) {
  if (loop == NULL) return 0;
  rlp_entry *entry = rlp_find(rlp_key(loop));
  // A loop is described again by its own thread, which alone knows its name.
  if (entry != NULL && !entry->is_dead && entry->session == rlp_session() && (!is_callers || entry->is_named))
    return entry->object;
  // The loop ends with the thread, whether or not it ever runs.
  is_callers = is_callers || is_current(loop);
  // A program may keep a loop whose thread has ended, and queue work that will never run.
  if (!is_callers && entry != NULL && entry->is_dead && !entry->is_reused && entry->session == rlp_session())
    return entry->object;
  if (is_callers) attachment_of(loop);
  int is_new = 0;
  if (entry == NULL || entry->is_dead) {
    entry = rlp_find_or_place(rlp_key(loop), &is_new);
    if (entry == NULL) return 0;
    // Another thread was faster.
    if (!is_new && entry->session == rlp_session() && (!is_callers || entry->is_named)) return entry->object;
  }
  // Observers from before a fork have the loop's id, so it stays.
  entry->session = rlp_session();
  entry->is_named = (uint8_t)is_callers;
  describe_loop(loop, entry->object, is_callers);
  return entry->object;
}

uint32_t rlp_loop(void *loop) { return loop_object(loop, 0); }

uint32_t rlp_known_loop(const void *loop) {
  const rlp_entry *entry = loop == NULL || !rlp_is_recording_already() ? NULL : rlp_find(rlp_key(loop));
  return entry == NULL || entry->session != rlp_session() ? 0 : entry->object;
}

static void release_modes(attachment *attachment) {
  __auto_type release = RLP_REAL(void (*)(void *), CFRelease);
  for (int i = 0; i < attachment->count; i++) {
    rlt_observed_mode_release(attachment->modes[i].observed);
    if (release != NULL) release(attachment->modes[i].name);
  }
  attachment->count = 0;
}

static void thread_ended_(void *memory) {
  attachment *attachment = memory;
  rlp_entry *entry = rlp_find(rlp_key(attachment->loop));
  // The loop dies with its thread. Another loop may get its address.
  if (entry != NULL) {
    if (!entry->is_dead && rlp_knows(entry->object, entry->session)) {
      rlt_topology_snapshot_unrun(entry->object);
      rlt_emit(RLT_KIND_LOOP_END, entry->object);
    }
    rlt_topology_loop_ended(entry->object);
    entry->is_dead = 1;
  }
  rlp_lock();
  struct attachment **at = &attachments;
  while (*at != NULL && *at != attachment) at = &(*at)->next;
  if (*at != NULL) *at = attachment->next;
  rlp_unlock();
  release_modes(attachment);
  free(attachment);
  attached = NULL;
}

// A thread asks for its own loop, which may be new.
RLP_EXPORT void *CFRunLoopGetCurrent(void) {
  RLP_FIND_REAL(CFRunLoopGetCurrent, NULL);
  void *loop = real();
  if (attached != NULL || loop == NULL || !rlp_is_recording_already()) return loop;
  attachment_of(loop);
  rlp_entry *entry = rlp_find(rlp_key(loop));
  if (entry != NULL && entry->is_dead) entry->is_reused = 1;
  return loop;
}

static void make_thread_end_key_(void) {
  has_thread_end_key_ = pthread_key_create(&thread_end_key_, thread_ended_) == 0;
}

static attachment *attachment_of(void *loop) {
  if (attached == NULL) {
    pthread_once(&thread_end_once_, make_thread_end_key_);
    // The program may have all keys. Then key 0 is another library's.
    attached = has_thread_end_key_ ? calloc(1, sizeof *attached) : NULL;
    if (attached == NULL) return NULL;
    pthread_setspecific(thread_end_key_, attached);
    rlp_lock();
    attached->next = attachments;
    attachments = attached;
    rlp_unlock();
  }
  if (attached->loop != loop) {
    rlp_lock();
    release_modes(attached);
    attached->loop = loop;
    rlp_unlock();
    attached->session = 0;
  }
  return attached;
}

// Returns whether a mode exists. Adding an observer creates a mode, which would turn a run that has nothing to do
// into one that waits.
static int mode_exists(void *loop, void *mode) {
  typedef struct {
    rlp_index location, length;
  } range;
  __auto_type copy = RLP_REAL(void *(*)(void *), CFRunLoopCopyAllModes);
  __auto_type count = RLP_REAL(rlp_index (*)(void *), CFArrayGetCount);
  __auto_type contains = RLP_REAL(rlp_boolean (*)(void *, range, void *), CFArrayContainsValue);
  __auto_type release = RLP_REAL(void (*)(void *), CFRelease);
  if (copy == NULL || count == NULL || contains == NULL || release == NULL) return 0;
  void *modes = copy(loop);
  if (modes == NULL) return 0;
  int exists = contains(modes, (range){0, count(modes)}, mode);
  release(modes);
  return exists;
}

static int is_common_modes(void *mode) {
  void *const *common = RLP_REAL(void *const *, kCFRunLoopCommonModes);
  __auto_type equal = RLP_REAL(rlp_boolean (*)(void *, void *), CFEqual);
  return common != NULL && (mode == *common || (equal != NULL && equal(mode, *common)));
}

// Notes that the calling thread runs its loop now. Returns 0 if this recording leaves the thread out. `*is_first`:
// the thread had not run this loop before.
static int join(void *loop, uint32_t *object, int *is_first) {
  rlt_join_recording();
  if (rlt_thread.is_left_out) return 0;
  // The usual case: the same loop again.
  *is_first = attached == NULL || attached->loop != loop || attached->session != rlp_session();
  *object = *is_first ? loop_object(loop, 1) : attached->object;
  if (!*is_first) return 1;
  attachment *attachment = attachment_of(loop);
  if (attachment == NULL) return 1;
  attachment->object = *object;
  // The note does not depend on the run: a run of an empty mode ends at once, and a program may spin on it. A child
  // of fork has its parent's observers, but also runs the loop for the first time.
  if (attachment->session != rlp_session()) rlt_spool_note(rlt_current_spool(), RLT_SEEN_RUN | RLT_SEEN_FOUNDATION);
  attachment->session = rlp_session();
  return 1;
}

static void picture_first(uint32_t object, int is_first) {
  if (is_first && rlp_records_callouts()) rlt_topology_snapshot(object, rlt_thread.mode, RLT_SNAPSHOT_AT_START);
}

// Returns the id of a mode that is about to run, with observers on the mode if it exists.
static uint8_t attach(void *loop, void *mode, uint32_t object, rlp_caller caller) {
  attachment *attachment = attached;
  if (attachment == NULL) return rlp_mode(mode);
  for (int i = 0; i < attachment->count; i++)
    if (attachment->modes[i].name == mode) return attachment->modes[i].id;
  uint8_t id = rlp_mode(mode);
  __auto_type equal = RLP_REAL(rlp_boolean (*)(void *, void *), CFEqual);
  __auto_type retain = RLP_REAL(void *(*)(void *), CFRetain);
  if (equal == NULL || retain == NULL) return id;
  for (int i = 0; i < attachment->count; i++)
    if (equal(attachment->modes[i].name, mode)) return id;
  if (attachment->count == MODES_MAX || is_common_modes(mode) || !mode_exists(loop, mode)) return id;
  __auto_type made = &attachment->modes[attachment->count];
  made->name = retain(mode);
  made->id = id;
  rlp_lock();
  made->observed = rlt_observe_own_mode(loop, made->name, object, id);
  if (has_other_observers) rlt_observe_high(made->observed);
  attachment->count += 1;
  rlp_unlock();
  // Every program runs the default mode, so its caller is of little use.
  void *const *usual = RLP_REAL(void *const *, kCFRunLoopDefaultMode);
  if (usual == NULL || !equal(*usual, mode)) rlp_note_runner(id, caller);
  return id;
}

void rlp_note_other_observer(void *loop) {
  rlp_lock();
  has_other_observers = 1;
  for (attachment *at = attachments; at != NULL; at = at->next)
    for (int i = 0; at->loop == loop && i < at->count; i++) rlt_observe_high(at->modes[i].observed);
  rlp_unlock();
}

// kCFRunLoopRunFinished: the mode has no items.
enum { RUN_FINISHED = 1 };

// Every run passes through here: CFRunLoopRun and CFRunLoopRunInMode call it.
RLP_EXPORT int32_t CFRunLoopRunSpecific(void *loop, void *mode, double seconds, rlp_boolean returns_after_source) {
  RLP_FIND_REAL(CFRunLoopRunSpecific, 1);
  if (mode == NULL || !rlp_is_recording()) return real(loop, mode, seconds, returns_after_source);
  uint32_t object, session = rlp_session();
  int is_first;
  if (!join(loop, &object, &is_first)) return real(loop, mode, seconds, returns_after_source);
  // An event loop may have begun the recording before CoreFoundation was loaded.
  if (is_first) rlp_log_image_of((uintptr_t)real);
  uint8_t id = attach(loop, mode, object, RLP_CALLER());
  picture_first(object, is_first);
  // Not 0: the thread runs work of a queue without a loop around it, and is watched for stalls.
  int has_loop = rlt_thread.depth > 0 || rlt_thread.ring == NULL || rlp_has_event_loop();
  uint32_t watched = has_loop ? 0 : rlt_ring_runs(rlt_thread.ring);
  if (rlt_thread.depth > 0 || watched != 0) rlp_note_nested_run(id, RLP_CALLER());
  RLP_EMIT(RLT_KIND_RUN_BEGIN, id, object, rlt_timeout_ns(seconds), returns_after_source != 0);
  int32_t result = real(loop, mode, seconds, returns_after_source);
  // After a fork, the begin event is in the parent's trace.
  if (session != rlp_session()) return result;
  // The Exit of the run ended the watch.
  if (watched != 0) rlt_ring_set_runs(rlt_thread.ring, watched, rlt_thread.mode);
  RLP_EMIT(RLT_KIND_RUN_END, id, object, (uint64_t)(int64_t)result);
  if (rlt_thread.depth == 0 && (rlt_timeout_ns(seconds) < RLT_LONGEST_POLL_NS || result == RUN_FINISHED))
    rlp_note_poll(id, RLP_CALLER());
  return result;
}

// Foundation's run functions ask whether anything can run, and return if nothing can.
RLP_EXPORT rlp_boolean _CFRunLoopFinished(void *loop, void *mode) {
  RLP_FIND_REAL(_CFRunLoopFinished, 1);
  rlp_boolean is_finished = real(loop, mode);
  uint64_t timeout_ns;
  if (!rlp_returns_early(RLP_CALLER(), is_finished, &timeout_ns) || mode == NULL || !rlp_is_recording())
    return is_finished;
  uint32_t object;
  int is_first;
  if (!join(loop, &object, &is_first)) return is_finished;
  uint8_t id = rlp_mode(mode);
  picture_first(object, is_first);
  RLP_EMIT(RLT_KIND_RUN_BEGIN, id, object, timeout_ns, 1);
  RLP_EMIT(RLT_KIND_RUN_END, id, object, RUN_FINISHED);
  if (rlt_thread.depth == 0) rlp_note_poll(id, RLP_CALLER());
  return is_finished;
}

RLP_EXPORT void CFRunLoopAddCommonMode(void *loop, void *mode) {
  RLP_FIND_REAL(CFRunLoopAddCommonMode);
  real(loop, mode);
  if (loop == NULL || mode == NULL || !rlp_is_recording()) return;
  uint32_t object = rlp_loop(loop);
  uint8_t id = rlp_mode(mode);
  RLP_EMIT(RLT_KIND_LOOP_ADD_COMMON_MODE, 0, object, id);
  rlt_topology_add_common_mode(object, id);
}

void rlp_note_added(uint8_t kind, void *loop, void *item, void *mode) {
  if (loop == NULL || item == NULL || mode == NULL || !rlp_records_callouts()) return;
  uint32_t object = rlp_known_object(item);
  if (object != 0) {
    uint32_t in = rlp_loop(loop);
    uint8_t id = rlp_mode(mode);
    if (kind != 0) RLP_EMIT(kind, rlt_thread.mode, object, id, in);
    rlt_topology_add(object, in, id, is_common_modes(mode));
  } else {
    const rlp_entry *entry = rlp_find(rlp_key(item));
    // CoreFoundation does not add items that were invalidated.
    if (entry == NULL || !entry->is_dead) rlt_topology_note_unseen(rlp_loop(loop));
  }
}

void rlp_note_removed(uint8_t kind, void *loop, void *item, void *mode) {
  uint32_t object = loop == NULL || mode == NULL ? 0 : rlp_known_object(item);
  if (object == 0) return;
  uint32_t from = rlp_loop(loop);
  uint8_t id = rlp_mode(mode);
  // The event does not name a loop: CoreFoundation does not remove a timer from a loop that does not have it.
  uint32_t holder = kind == RLT_KIND_TIMER_REMOVE ? rlt_topology_loop_of(object) : 0;
  if (kind != 0 && (holder == 0 || holder == from)) RLP_EMIT(kind, rlt_thread.mode, object, id);
  rlt_topology_remove(object, from, id, is_common_modes(mode));
}

int rlp_runs_loop(uint32_t loop) {
  return loop != 0 && attached != NULL && attached->session == rlp_session() && attached->object == loop;
}

// Signal handlers wake and stop loops. Therefore no recording begins here, and no lock is taken.
RLP_EXPORT void CFRunLoopWakeUp(void *loop) {
  RLP_FIND_REAL(CFRunLoopWakeUp);
  uint32_t object = rlp_known_loop(loop);
  if (object != 0) rlt_emit(RLT_KIND_LOOP_WAKE_UP, object);
  real(loop);
}

RLP_EXPORT void CFRunLoopStop(void *loop) {
  RLP_FIND_REAL(CFRunLoopStop);
  uint32_t object = rlp_known_loop(loop);
  if (object != 0) rlt_emit(RLT_KIND_LOOP_STOP, object);
  real(loop);
}
