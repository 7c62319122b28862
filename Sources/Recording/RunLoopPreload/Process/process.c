// The start and the end of the library in a process of the program.
#include "event_loops.h"
#include "images.h"
#include "interposing.h"
#include "recording.h"
#include "settings.h"
#include "stack.h"

// Reads the kernel's list of mappings, because a signal handler must not ask the loader.
static int foundation_is_loaded(void) {
  static const char name[] = "/libFoundation.so";
  // Not on the stack, which may be a small one.
  static char text[2048];
  size_t kept = 0;
  int is_loaded = 0, cancel_state;
  // A thread that is being cancelled may end the process.
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
  int descriptor = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  for (ssize_t count; !is_loaded && (count = read(descriptor, text + kept, sizeof text - kept)) > 0;) {
    size_t length = kept + (size_t)count;
    is_loaded = memmem(text, length, name, sizeof name - 1) != NULL;
    // The name may be split across two reads.
    kept = length < sizeof name ? length : sizeof name - 1;
    memmove(text, text + length - kept, kept);
  }
  if (descriptor >= 0) close(descriptor);
  pthread_setcancelstate(cancel_state, NULL);
  return is_loaded;
}

// Runs after all other exit functions, including the destructors of libraries, because these are registered later.
static void note_exit_status(int status, void *unused) {
  (void)unused;
  rlp_note_recording_exit(status);
}

// The C library passes a program's arguments to constructors as well.
__attribute__((constructor)) static void begin(int count, char **words) {
  if (!rlp_read_settings()) return;
  rlp_want_recording();
  rlp_find_interposed();
  if (rlp_records_event_loops() && foundation_is_loaded()) rlp_find_run_loops();
  on_exit(note_exit_status, NULL);
  rlp_keep_command_line(count, words);
  rlp_know_program();
  if (rlp_records_event_loops() || rlp_records_queues()) rlp_own_stack();
  // Open the header while that is possible. Processes that cannot be recorded later are reported there.
  if (rlp_settings.recorder_pid != 0) rlp_first_header();
  if (!rlp_is_first_process()) return;
  rlp_report_in(RLT_SEEN_PROCESS);
  // A program may change its root or its user, or limit its memory or its system calls, before it first runs a loop.
  if (rlp_records_event_loops() || rlp_records_queues() || foundation_is_loaded()) rlp_prepare_recording();
}

// Returns whether the recorder knows why nothing was recorded, or needs no reason.
static int is_explained(void) {
  return rlp_is_recording_already()
         && (rlt_spool_seen(rlt_current_spool()) & (RLT_SEEN_CONTENT | RLT_SEEN_FOUNDATION)) != 0;
}

static void note_end(void) {
  if (!rlp_settings.is_wanted) return;
  int kept_errno = errno;
  if (rlp_is_own_process()) rlp_end_loops_with_process();
  rlp_note_recording_end();
  if (__atomic_load_n(&rlt_calls_are_filtered, __ATOMIC_RELAXED)) return;
  // If nothing was recorded, the recorder needs to know why. Done once, and not for a vforked child.
  static int is_reported;
  if (!is_explained() && rlp_is_first_process() && !is_reported) {
    is_reported = 1;
    rlp_report_in(RLT_SEEN_END | (foundation_is_loaded() ? RLT_SEEN_FOUNDATION : 0));
  }
  errno = kept_errno;
}

__attribute__((destructor)) static void end(void) {
  if (rlp_is_own_process() && rlp_is_recording_already()) rlt_topology_snapshot_unrun(0);
  note_end();
}

// Ends without destructors, so the end has to be noted here. Signal handlers and vforked children may come here;
// nothing is noted for the latter.
static _Noreturn void end_now(int status) {
  rlp_note_recording_exit(status);
  note_end();
  for (;;) syscall(SYS_exit_group, status);
}

RLP_EXPORT void _exit(int status) { end_now(status); }
RLP_EXPORT void _Exit(int status) { end_now(status); }
