#include "settings.h"

#include "rltrace_spool_ending.h"
#include "rltrace_spool_guard.h"

rlp_settings_values rlp_settings;

static const char preload_name[] = "LD_PRELOAD=";
static const char spool_name[] = "RLTRACE_SPOOL=";
static const char options_name[] = "RLTRACE_OPTIONS=";

// The original variables, to be restored at exec.
static char spool_entry[PATH_MAX + sizeof spool_name];
static char options_entry[PATH_MAX + 512];
static char library[PATH_MAX];

static const char *value_of(const char *entry, const char *name) {
  size_t length = strlen(name);
  return strncmp(entry, name, length) == 0 ? entry + length : NULL;
}

// Reads one limit per phase, separated by colons.
static void read_limits(char *list) {
  for (int phase = 0; phase < RLT_PHASES && list != NULL; phase++) {
    char *limit = strsep(&list, ":");
    rlp_settings.stalls.limits_ns[phase] = strtoull(limit, NULL, 10);
  }
}

static void read_options(const char *options) {
  rlp_settings.time_unit_ns = 10;
  rlp_settings.slots_per_ring = 1 << 19;
  char copy[sizeof options_entry];
  snprintf(copy, sizeof copy, "%s", options);
  char *rest = copy;
  for (char *pair; (pair = strsep(&rest, ",")) != NULL;) {
    char *value = strchr(pair, '=');
    if (value == NULL) continue;
    *value++ = 0;
    // The path is last because it may contain commas.
    if (strcmp(pair, "preload") == 0) {
      snprintf(library, sizeof library, "%s%s%s", value, rest == NULL ? "" : ",", rest == NULL ? "" : rest);
      break;
    }
    if (strcmp(pair, "unit") == 0) rlp_settings.time_unit_ns = (uint32_t)strtoul(value, NULL, 10);
    if (strcmp(pair, "slots") == 0) rlp_settings.slots_per_ring = strtoull(value, NULL, 10);
    if (strcmp(pair, "flags") == 0) rlp_settings.flags = (uint32_t)strtoul(value, NULL, 10);
    if (strcmp(pair, "recorder") == 0) rlp_settings.recorder_pid = atoi(value);
    if (strcmp(pair, "recording") == 0) rlp_settings.recording = strtoull(value, NULL, 10);
    if (strcmp(pair, "children") == 0) rlp_settings.records_children = atoi(value);
    if (strcmp(pair, "beat") == 0) rlp_settings.stalls.beat_ns = strtoull(value, NULL, 10);
    if (strcmp(pair, "stall") == 0) rlp_settings.stalls.threshold_ns = strtoull(value, NULL, 10);
    if (strcmp(pair, "signal") == 0) rlp_settings.stalls.signal = atoi(value);
    if (strcmp(pair, "limits") == 0) read_limits(value);
  }
}

// Removes this library from a list of libraries. Returns 0 if there was no other list. An empty list is kept.
static int take_library_out(char *list) {
  size_t length = strlen(library);
  if (length == 0 || strncmp(list, library, length) != 0) return 1;
  char *rest = list + length;
  if (*rest != 0 && *rest != ':' && *rest != ' ') return 1;
  if (*rest == 0) return 0;
  memmove(list, rest + 1, strlen(rest));
  return 1;
}

// Gives the program the environment it would have had: the same entries in the same order.
static void take_variables_out(void) {
  char **kept = environ;
  for (char **at = environ; *at != NULL; at++) {
    if (value_of(*at, spool_name) != NULL || value_of(*at, options_name) != NULL) continue;
    const char *list = value_of(*at, preload_name);
    if (list != NULL && !take_library_out((char *)list)) continue;
    *kept++ = *at;
  }
  *kept = NULL;
}

static const char *variable(const char *name) {
  for (char **at = environ; at != NULL && *at != NULL; at++) {
    const char *value = value_of(*at, name);
    if (value != NULL) return value;
  }
  return NULL;
}

// Open and close the recording's first spool. Unlike open(3) and close(3), they never end a thread that is being
// cancelled: exec and exit come here.
static int open_spool(void) {
  return (int)syscall(SYS_openat, AT_FDCWD, rlp_settings.spool_path, O_RDWR | O_CLOEXEC, 0);
}
static void close_spool(int descriptor) { (void)syscall(SYS_close, descriptor); }

rlt_spool *rlp_first_header(void) {
  static rlt_spool *header;
  rlt_spool *known = __atomic_load_n(&header, __ATOMIC_ACQUIRE);
  if (known != NULL) return known;
  int descriptor = open_spool();
  if (descriptor < 0) return NULL;
  void *page = mmap(NULL, RLT_SPOOL_HEADER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  close_spool(descriptor);
  if (page == MAP_FAILED) return NULL;
  // Another thread may have been faster.
  if (__atomic_compare_exchange_n(&header, &known, page, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return page;
  munmap(page, RLT_SPOOL_HEADER_BYTES);
  return known;
}

// Returns the header, guarded for stores until rlt_end_guard, because another process may truncate the file. The
// guard ends at once because a program that runs no loop keeps its signal handlers.
static rlt_spool *guarded_header(void) {
  rlt_spool *first = rlp_first_header();
  if (first != NULL) rlt_guard_mapping(first, RLT_SPOOL_HEADER_BYTES);
  return first;
}

void rlp_report_in(uint32_t seen) {
  rlt_spool *first = guarded_header();
  if (first == NULL) return;
  rlt_spool_note(first, seen);
  rlt_end_guard(first);
}

void rlp_count_left_out(int error) {
  rlt_spool *first = rlp_settings.recorder_pid == 0 ? NULL : guarded_header();
  if (first == NULL) return;
  rlt_spool_count_left_out(first, (uint32_t)error);
  rlt_end_guard(first);
}

void rlp_note_killed(pid_t process, int signal) {
  if (rlp_settings.recorder_pid == 0 || !rlp_settings.records_children) return;
  if (__atomic_load_n(&rlt_calls_are_filtered, __ATOMIC_RELAXED)) return;
  int kept_errno = errno;
  rlt_spool *first = guarded_header();
  if (first != NULL) {
    rlt_spool_note_killed(first, (uint32_t)process, (uint32_t)signal);
    rlt_end_guard(first);
  }
  errno = kept_errno;
}

void rlp_note_locked_out(void) {
  if (rlp_settings.recorder_pid == 0 || __atomic_load_n(&rlt_calls_are_filtered, __ATOMIC_RELAXED)) return;
  int descriptor = open_spool();
  if (descriptor >= 0) close_spool(descriptor);
  // Too many open files in this process do not keep the next program from opening the spool.
  else if (errno != EMFILE && errno != ENFILE) rlp_report_in(RLT_SEEN_LOCKED_OUT);
}

int rlp_may_load_library(void) {
  return __atomic_load_n(&rlt_calls_are_filtered, __ATOMIC_RELAXED) || access(library, R_OK) == 0;
}

static char command_line[4096];
static size_t command_line_length;

const char *rlp_command_line(size_t *length) {
  *length = command_line_length;
  return command_line;
}

void rlp_keep_command_line(int count, char *const *words) {
  size_t length = 0;
  for (int i = 0; i < count && length < sizeof command_line; i++) {
    size_t bytes = strlen(words[i]) + 1, room = sizeof command_line - length;
    memcpy(command_line + length, words[i], bytes < room ? bytes : room);
    length += bytes < room ? bytes : room;
  }
  // A zero byte follows each word. Drop the last one.
  if (length > 1) command_line_length = length - (command_line[length - 1] == 0);
}

// Valgrind executes the program's code itself, one thread at a time. Times and stacks would be its own, so the program
// is left alone. Valgrind loads a library of this name into each program.
static int runs_in_valgrind(void) {
  const char *list = variable(preload_name);
  return list != NULL && strstr(list, "/vgpreload_") != NULL;
}

int rlp_read_settings(void) {
  const char *spool = variable(spool_name), *options = variable(options_name);
  if (spool == NULL || options == NULL || strlen(spool) >= PATH_MAX || strlen(options) >= sizeof options_entry - 32)
    return 0;
  snprintf(rlp_settings.spool_path, sizeof rlp_settings.spool_path, "%s", spool);
  snprintf(spool_entry, sizeof spool_entry, "%s%s", spool_name, spool);
  snprintf(options_entry, sizeof options_entry, "%s%s", options_name, options);
  read_options(options);
  if (runs_in_valgrind()) {
    rlp_count_left_out(ENOTSUP);
    return 0;
  }
  rlp_settings.is_wanted = 1;
  take_variables_out();
  return 1;
}

// The buffers for environments. If a vforked child took one and its exec succeeds, the buffer is not given back. But
// such a child runs in its parent's memory and on its parent's thread, which waits for the exec. So if the same thread
// later requests a buffer in another process, the exec is over. If the thread never requests one again, the buffer is
// reused after some seconds.
enum { SPACES = 64, SPACE_BYTES = 48 << 10 };
static const uint64_t stale_ns = 10000000000u;
static struct {
  uint64_t taken_at_ns;  // 0 = free
  const void *thread;    // the thread that took it, by the address of a thread-local word
  pid_t process;
  _Alignas(16) char bytes[SPACE_BYTES];
} spaces[SPACES];

static void *take_space(void) {
  uint64_t now = rlt_coarse_ns();
  if (now == 0) now = 1;
  pid_t process = getpid();
  for (int i = 0; i < SPACES; i++) {
    if (__atomic_load_n(&spaces[i].taken_at_ns, __ATOMIC_ACQUIRE) == 0) continue;
    if (spaces[i].thread != &rlt_thread || spaces[i].process == process) continue;
    spaces[i].process = process;
    __atomic_store_n(&spaces[i].taken_at_ns, now, __ATOMIC_RELAXED);
    return spaces[i].bytes;
  }
  for (int i = 0; i < SPACES; i++) {
    uint64_t taken = __atomic_load_n(&spaces[i].taken_at_ns, __ATOMIC_RELAXED);
    // Another thread may have taken it a moment after `now`.
    if (taken != 0 && (int64_t)(now - taken) < (int64_t)stale_ns) continue;
    if (__atomic_compare_exchange_n(
            &spaces[i].taken_at_ns, &taken, now, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
      spaces[i].thread = &rlt_thread;
      spaces[i].process = process;
      return spaces[i].bytes;
    }
  }
  return NULL;
}

void rlp_give_back_environment(char *const *taken) {
  for (int i = 0; i < SPACES; i++)
    if ((const void *)taken == spaces[i].bytes)
      __atomic_store_n(&spaces[i].taken_at_ns, 0, __ATOMIC_RELEASE);
}

static size_t bytes_needed(char *const *environment, size_t *count) {
  size_t text = sizeof preload_name + strlen(library) + 2;
  for (*count = 0; environment != NULL && environment[*count] != NULL; *count += 1) {
    const char *list = value_of(environment[*count], preload_name);
    if (list != NULL) text += strlen(list) + 1;
  }
  return (*count + 4) * sizeof(char *) + text;
}

// Returns whether the program is itself a recorder, which is about to execute a program to record. This library removed
// its own variables from the environment, so the program set the one that is found.
static int is_of_another_recorder(char *const *environment) {
  for (; environment != NULL && *environment != NULL; environment++)
    if (value_of(*environment, spool_name) != NULL) return 1;
  return 0;
}

char *const *rlp_take_environment(char *const *environment, int is_new_process) {
  if (!rlp_settings.is_wanted || is_of_another_recorder(environment)) return environment;
  // If children are not recorded, an exec is recorded only in the program's first process.
  if (!rlp_settings.records_children && (is_new_process || !rlp_is_first_process())) return environment;
  size_t count;
  char **result = bytes_needed(environment, &count) > SPACE_BYTES ? NULL : take_space();
  if (result == NULL) {
    rlp_count_left_out(E2BIG);
    return environment;
  }
  char *preload = (char *)(result + count + 4), *end = stpcpy(stpcpy(preload, preload_name), library);
  char **at = result;
  int has_preload = 0;
  for (size_t i = 0; i < count; i++) {
    const char *list = value_of(environment[i], preload_name);
    if (value_of(environment[i], spool_name) != NULL || value_of(environment[i], options_name) != NULL) continue;
    if (list != NULL && !has_preload) {
      stpcpy(stpcpy(end, ":"), list);
      *at++ = preload;
      has_preload = 1;
    } else {
      *at++ = environment[i];
    }
  }
  if (!has_preload) *at++ = preload;
  *at++ = spool_entry;
  *at++ = options_entry;
  *at = NULL;
  return result;
}
