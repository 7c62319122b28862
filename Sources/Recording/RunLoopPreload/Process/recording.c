#include "recording.h"

#include "images.h"
#include "names.h"
#include "objects.h"
#include "rltrace_spool_ending.h"
#include "rltrace_spool_guard.h"
#include "rltrace_spool_make.h"
#include "rltrace_spool_space.h"
#include "settings.h"
#include "symbols.h"

static pthread_mutex_t begin_lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t sessions;

// The child has the parent's spool mapped and must not write to it. It gets a spool of its own when it uses a run
// loop. No lock is taken before a fork: other libraries' fork handlers run then, and may wait for threads that want
// one of our locks. An operation that a thread had in progress counts as not begun, because entries of the tables are
// published by their last store.
static void after_fork_in_child(void) {
  rlp_renew_lock();
  pthread_mutex_init(&begin_lock, NULL);
  if (rlp_ids != NULL) rlt_ids_renew_lock(rlp_ids);
  rlt_topology_renew_lock();
  rlt_sentinel_forget();
  __atomic_store_n(&rlt_current.session, 0, __ATOMIC_RELEASE);
  // Objects of the parent's recording do not belong to the child's.
  rlp_session_number = 0;
  rlp_know_process();
  __atomic_store_n(
      &rlp_recording_state, rlp_settings.records_children ? RLP_NOT_YET : RLP_OVER, __ATOMIC_RELEASE);
}

// In a limited address space, a spool maps fewer rings. Returns the number of rings that fit, 0 if that is too few.
// `own`: the bytes that the spool takes already.
static uint32_t rings_that_fit(uint64_t own) {
  enum { RINGS_MIN = 2 };
  uint64_t share = rlt_spool_address_share(own), slots = rlp_settings.slots_per_ring;
  uint32_t rings = RLT_SPOOL_RINGS;
  while (rings >= RINGS_MIN && rlt_spool_slots_offset(slots, rings) > share) rings -= 1;
  return rings >= RINGS_MIN ? rings : 0;
}

static int fit_address_space(void) {
  uint32_t rings = rings_that_fit(0);
  rlt_spool_mapped_rings = rings != 0 ? rings : RLT_SPOOL_RINGS;
  return rings != 0;
}

// Maps the spool that the recorder made for the process it started. Returns NULL if that fails.
static rlt_spool *map_first_spool(void) {
  int descriptor = open(rlp_settings.spool_path, O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return NULL;
  struct stat status;
  rlt_spool *spool = NULL;
  size_t bytes = fit_address_space() ? rlt_spool_mapped_bytes(rlp_settings.slots_per_ring) : 0;
  if (bytes != 0 && fstat(descriptor, &status) == 0 && status.st_size >= (off_t)bytes)
    spool = rlt_map(NULL, bytes, MAP_SHARED, descriptor);
  close(descriptor);
  if (spool == NULL) return NULL;
  rlt_guard_mapping(spool, bytes);
  // A spool whose sizes differ from the settings does not belong to this recording.
  int is_sound = rlt_spool_is_sound(spool, (uint64_t)status.st_size)
                 && spool->slots_per_ring == rlp_settings.slots_per_ring;
  rlt_end_guard(spool);
  if (is_sound) return spool;
  munmap(spool, bytes);
  return NULL;
}

static rlt_spool *prepared_spool;

void rlp_prepare_recording(void) {
  int kept_errno = errno;
  prepared_spool = map_first_spool();
  rlp_ids = rlt_ids_make();
  rlt_know_process();
  errno = kept_errno;
}

// Returns the spool that this process has mapped, NULL if there is none. Called with the lock of the begin.
static rlt_spool *mapped_spool(void) {
  return rlp_recording_state == RLP_RECORDING ? rlt_current_spool()
         : rlp_recording_state == RLP_NOT_YET ? prepared_spool : NULL;
}

void rlp_fit_recording(void) {
  int kept_errno = errno, cancel_state;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
  pthread_mutex_lock(&begin_lock);
  rlt_spool *spool = mapped_spool();
  size_t bytes = rlt_spool_mapped_bytes(rlp_settings.slots_per_ring);
  uint32_t rings = spool == NULL ? 0 : rings_that_fit(bytes);
  if (spool != NULL && rings == 0 && spool == prepared_spool && rlp_recording_state == RLP_NOT_YET) {
    munmap(spool, bytes);
    prepared_spool = NULL;
  } else if (spool != NULL && rings < rlt_mapped_rings()) {
    bytes = rlt_spool_unmap_rings(spool, rings);
    if (rlp_recording_state == RLP_RECORDING) rlt_guard_mapping(spool, bytes);
  }
  pthread_mutex_unlock(&begin_lock);
  pthread_setcancelstate(cancel_state, NULL);
  errno = kept_errno;
}

const void *rlp_spool_memory(size_t *bytes) {
  pthread_mutex_lock(&begin_lock);
  const void *spool = mapped_spool();
  *bytes = rlt_spool_mapped_bytes(rlp_settings.slots_per_ring);
  pthread_mutex_unlock(&begin_lock);
  return spool;
}

static rlt_spool *first_spool(void) {
  if (!rlp_is_first_process()) return NULL;
  rlt_spool *spool = prepared_spool != NULL ? prepared_spool : map_first_spool();
  if (spool == NULL) return NULL;
  size_t bytes = rlt_spool_mapped_bytes(rlp_settings.slots_per_ring);
  rlt_guard_mapping(spool, bytes);
  if (rlt_spool_take(spool)) return spool;
  // An earlier program of this process used it.
  rlt_unguard_mapping(spool);
  munmap(spool, bytes);
  prepared_spool = NULL;
  return NULL;
}

static const char suffix[] = ".rltrace.spool";

// Creates the first of NAME.rltrace.spool, NAME.PID.rltrace.spool, NAME.PID-2.rltrace.spool … whose name is free.
static int create_own(char *path) {
  size_t stem = strlen(rlp_settings.spool_path);
  if (stem < sizeof suffix) return -1;
  stem -= sizeof suffix - 1;
  for (int number = rlp_settings.recorder_pid == 0 ? 0 : 1; number < 1000; number++) {
    int length;
    if (number == 0)
      length = snprintf(path, PATH_MAX, "%s", rlp_settings.spool_path);
    else if (number == 1)
      length = snprintf(path, PATH_MAX, "%.*s.%d%s", (int)stem, rlp_settings.spool_path, (int)getpid(), suffix);
    else
      length = snprintf(
          path, PATH_MAX, "%.*s.%d-%d%s", (int)stem, rlp_settings.spool_path, (int)getpid(), number, suffix);
    if (length >= PATH_MAX) {
      errno = ENAMETOOLONG;
      return -1;
    }
    int descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (descriptor >= 0 || errno != EEXIST) return descriptor;
  }
  return -1;
}

// Announces to the recorder, in the first process's spool, that this process has a spool as well. Returns 0 if that
// will not be drained: the recording is over, or too many processes started at the same time.
static int announce(void) {
  rlt_spool *first = rlp_first_header();
  return first != NULL && rlt_spool_announce(first, (uint32_t)getpid());
}

// Returns whether the recording that this process belongs to continues, according to its first spool.
static int recording_goes_on(void) {
  rlt_spool *first = rlp_first_header();
  return first != NULL && __atomic_load_n(&first->is_stopped, __ATOMIC_ACQUIRE) == 0 && rlt_spool_has_recorder(first);
}

// Creates a spool for this process. `*left_out`: why the recording continues without this process, an errno; 0 =
// there is a spool, or the recording is over.
static rlt_spool *own_spool(int *left_out) {
  size_t bytes = rlt_spool_bytes(rlp_settings.slots_per_ring);
  // Writing beyond the limit of file sizes would kill the program with a signal.
  struct rlimit limit;
  const rlt_spool *first = rlp_first_header();
  if (first != NULL) rlt_guard_mapping(first, RLT_SPOOL_HEADER_BYTES);
  if (rlp_settings.recorder_pid != 0 && !recording_goes_on()) return NULL;
  *left_out = EFBIG;
  if (bytes == 0 || getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur < bytes) return NULL;
  *left_out = ENOMEM;
  if (!fit_address_space()) return NULL;
  // Not on the stack, which may be a small one. The lock is held.
  static char path[PATH_MAX];
  int descriptor = create_own(path);
  if (descriptor < 0) {
    *left_out = errno;
    return NULL;
  }
  rlt_spool *spool = rlt_spool_make(
      descriptor, rlp_settings.slots_per_ring, rlp_settings.flags, rlp_settings.time_unit_ns,
      (uint32_t)rlp_settings.recorder_pid, rlp_settings.recording, 1);
  *left_out = spool == NULL ? errno : 0;
  close(descriptor);
  if (spool == NULL) {
    unlink(path);
    return NULL;
  }
  rlt_spool_take(spool);
  if (first != NULL && rlp_settings.recorder_pid != 0) {
    spool->recorder_start = first->recorder_start;
    spool->recorder_namespace = first->recorder_namespace;
  }
  if (rlp_settings.recorder_pid == 0 || announce()) return spool;
  if (recording_goes_on()) *left_out = EAGAIN;
  unlink(path);
  rlt_unguard_mapping(spool);
  munmap(spool, rlt_spool_mapped_bytes(rlp_settings.slots_per_ring));
  return NULL;
}

// Writes the facts about this process into the log.
static void describe_process(void) {
  char text[16];
  snprintf(text, sizeof text, "%d", (int)getpid());
  rlp_info("process", text);
  if (rlp_records_event_loops()) rlp_info("event_loops", "recorded");
  if (rlp_records_queues()) rlp_info("queues", "recorded");
  static const char key[] = "program";
  size_t length;
  const char *line = rlp_command_line(&length);
  if (length > 0) rlt_spool_append(rlt_current_spool(), RLT_NAME_INFO, 0, 0, key, sizeof key, line, length);
}

// CFRunLoopRunSpecific; 0 = the program has no CoreFoundation yet.
static uintptr_t run_loops_of_program;

void rlp_find_run_loops(void) {
  __atomic_store_n(&run_loops_of_program, (uintptr_t)RLP_REAL(void *, CFRunLoopRunSpecific), __ATOMIC_RELAXED);
}

int rlp_begin_recording(void) {
  // A signal handler may come here again.
  static RLT_TLS int is_beginning;
  if (is_beginning) return 0;
  if (__atomic_load_n(&rlp_recording_state, __ATOMIC_ACQUIRE) == RLP_RECORDING) return 1;
  int kept_errno = errno, cancel_state;
  is_beginning = 1;
  // Nothing is looked up here: an event loop may begin while another thread holds the loader's lock and waits for it.
  uintptr_t run_loops = __atomic_load_n(&run_loops_of_program, __ATOMIC_RELAXED);
  // Opening a file is a cancellation point: a thread that is being cancelled would end with the lock held.
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
  pthread_mutex_lock(&begin_lock);
  int is_new = rlp_recording_state == RLP_NOT_YET;
  if (is_new) {
    if (rlp_ids == NULL) rlp_ids = rlt_ids_make();
    int left_out = rlp_ids == NULL ? ENOMEM : 0;
    rlt_spool *spool = left_out != 0 ? NULL : first_spool();
    if (spool == NULL && left_out == 0) spool = own_spool(&left_out);
    if (spool != NULL) {
      // A process that uses a run loop has Foundation. A process that leaves its main queue to the system may have
      // none.
      rlt_spool_note(spool, RLT_SEEN_PROCESS | (run_loops != 0 ? RLT_SEEN_FOUNDATION : 0));
      rlp_names_begin(spool);
      rlp_prepare_objects();
      rlp_session_number = ++sessions;
      // A forked child's loops have items that were added in the parent.
      rlt_topology_begin(sessions > 1);
      rlt_set_recording(sessions, spool, NULL);
      describe_process();
    } else if (left_out != 0) {
      // The recording continues without this process.
      rlp_count_left_out(left_out);
    }
    __atomic_store_n(&rlp_recording_state, spool != NULL ? RLP_RECORDING : RLP_OVER, __ATOMIC_RELEASE);
  }
  int is_recording = rlp_recording_state == RLP_RECORDING;
  pthread_mutex_unlock(&begin_lock);
  // Log the image of Foundation, which identifies its version.
  if (is_new && is_recording) {
    rlp_log_image_of(run_loops);
    rlt_sentinel_start(&rlp_settings.stalls);
  }
  pthread_setcancelstate(cancel_state, NULL);
  is_beginning = 0;
  errno = kept_errno;
  return is_recording;
}

// Called once the settings have been read.
void rlp_want_recording(void) {
  pthread_atfork(NULL, NULL, after_fork_in_child);
  rlp_know_process();
  rlp_recording_state = RLP_NOT_YET;
}

// A vforked child shares the parent's memory and must not note anything on the parent's behalf.
static int is_recorded_process(void) {
  return rlp_recording_state == RLP_RECORDING && rlp_is_own_process();
}

void rlp_note_recording_end(void) {
  if (is_recorded_process()) rlt_spool_note_end(rlt_current_spool());
}

void rlp_note_recording_exit(int status) {
  if (is_recorded_process()) rlt_spool_note_exit(rlt_current_spool(), status);
}

void rlp_note_recording_exec(void) {
  if (!is_recorded_process()) return;
  rlt_spool_note_exec(rlt_current_spool());
  rlt_spool_note_end(rlt_current_spool());
}

void rlp_unnote_recording_end(void) {
  if (is_recorded_process()) rlt_spool_unnote_end(rlt_current_spool());
}
