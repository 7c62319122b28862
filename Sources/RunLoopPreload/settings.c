#include "settings.h"

#include "exec.h"
#include "recording.h"

rlp_settings_values rlp_settings;

static const char preload_name[] = "LD_PRELOAD=";
static const char spool_name[] = "RLTRACE_SPOOL=";
static const char options_name[] = "RLTRACE_OPTIONS=";

// The variables as they were, to be put back at exec.
static char spool_entry[PATH_MAX + sizeof spool_name];
static char options_entry[PATH_MAX + 512];
static char library[PATH_MAX];

static const char *value_of(const char *entry, const char *name) {
  size_t length = strlen(name);
  return strncmp(entry, name, length) == 0 ? entry + length : NULL;
}

static void read_options(const char *options) {
  rlp_settings.time_unit_ns = 10;
  rlp_settings.slots_per_ring = 1 << 17;
  char copy[sizeof options_entry];
  snprintf(copy, sizeof copy, "%s", options);
  char *rest = copy;
  for (char *pair; (pair = strsep(&rest, ",")) != NULL;) {
    char *value = strchr(pair, '=');
    if (value == NULL) continue;
    *value++ = 0;
    if (strcmp(pair, "unit") == 0) rlp_settings.time_unit_ns = (uint32_t)strtoul(value, NULL, 10);
    if (strcmp(pair, "slots") == 0) rlp_settings.slots_per_ring = strtoull(value, NULL, 10);
    if (strcmp(pair, "flags") == 0) rlp_settings.flags = (uint32_t)strtoul(value, NULL, 10);
    if (strcmp(pair, "recorder") == 0) rlp_settings.recorder_pid = atoi(value);
    if (strcmp(pair, "children") == 0) rlp_settings.records_children = atoi(value);
    if (strcmp(pair, "preload") == 0) snprintf(library, sizeof library, "%s", value);
  }
}

// Takes this library out of a list of libraries. Returns 0 when nothing is left of it.
static int take_library_out(char *list) {
  size_t length = strlen(library);
  if (length == 0 || strncmp(list, library, length) != 0) return 1;
  char *rest = list + length;
  if (*rest != 0 && *rest != ':' && *rest != ' ') return 1;
  if (*rest != 0) rest += 1;
  memmove(list, rest, strlen(rest) + 1);
  return *list != 0;
}

// The program sees the environment it would have had: the same entries in the same order.
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

// Tells the recorder that the library got into the program it started.
static void report_in(uint32_t seen) {
  int descriptor = open(rlp_settings.spool_path, O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return;
  void *page = mmap(NULL, RLT_SPOOL_HEADER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  close(descriptor);
  if (page == MAP_FAILED) return;
  rlt_spool_note(page, seen);
  munmap(page, RLT_SPOOL_HEADER_BYTES);
}

__attribute__((constructor)) static void read_settings(void) {
  const char *spool = variable(spool_name), *options = variable(options_name);
  if (spool == NULL || options == NULL || strlen(spool) >= PATH_MAX || strlen(options) >= sizeof options_entry - 32)
    return;
  snprintf(rlp_settings.spool_path, sizeof rlp_settings.spool_path, "%s", spool);
  snprintf(spool_entry, sizeof spool_entry, "%s%s", spool_name, spool);
  snprintf(options_entry, sizeof options_entry, "%s%s", options_name, options);
  read_options(options);
  rlp_settings.is_wanted = 1;
  take_variables_out();
  rlp_want_recording();
  rlp_find_exec();
  if (rlp_is_first_process()) report_in(RLT_SEEN_PROCESS);
}

__attribute__((destructor)) static void say_what_was_there(void) {
  if (!rlp_settings.is_wanted || !rlp_is_first_process()) return;
  void *foundation = dlopen("libFoundation.so", RTLD_LAZY | RTLD_NOLOAD);
  if (foundation == NULL) return;
  dlclose(foundation);
  report_in(RLT_SEEN_FOUNDATION);
}

// Where environments are put together. One that a vforked child took is not given back when its exec succeeds: after
// some seconds it is free again.
enum { SPACES = 16, SPACE_BYTES = 48 << 10 };
static const uint64_t stale_ns = 10000000000u;
static struct {
  uint64_t taken_at_ns;  // 0 = free
  _Alignas(16) char bytes[SPACE_BYTES];
} spaces[SPACES];

static void *take_space(void) {
  uint64_t now = rlt_coarse_ns();
  for (int i = 0; i < SPACES; i++) {
    uint64_t taken = __atomic_load_n(&spaces[i].taken_at_ns, __ATOMIC_RELAXED);
    // Another thread may have taken it a moment after `now`.
    if (taken != 0 && (int64_t)(now - taken) < (int64_t)stale_ns) continue;
    if (__atomic_compare_exchange_n(
            &spaces[i].taken_at_ns, &taken, now, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
      return spaces[i].bytes;
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

char *const *rlp_take_environment(char *const *environment, int is_new_process) {
  if (!rlp_settings.is_wanted) return environment;
  // Without children, only the program's own process goes on being recorded when it executes another.
  if (!rlp_settings.records_children && (is_new_process || !rlp_is_first_process())) return environment;
  size_t count;
  if (bytes_needed(environment, &count) > SPACE_BYTES) return environment;
  char **result = take_space();
  if (result == NULL) return environment;
  char *preload = (char *)(result + count + 4), *end = stpcpy(stpcpy(preload, preload_name), library);
  char **at = result;
  int has_preload = 0;
  for (size_t i = 0; i < count; i++) {
    const char *list = value_of(environment[i], preload_name);
    if (value_of(environment[i], spool_name) != NULL || value_of(environment[i], options_name) != NULL) continue;
    if (list != NULL && !has_preload) {
      if (*list != 0) stpcpy(stpcpy(end, ":"), list);
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
