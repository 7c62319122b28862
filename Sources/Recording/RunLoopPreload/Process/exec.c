// Restores the variables that were removed from the environment, for programs that a recorded program executes or
// starts.
#include "crashes.h"
#include "interposing.h"
#include "recording.h"
#include "refusal.h"
#include "settings.h"

// Returns the environment for a program. Parameters: see rlp_is_refused.
static char *const *environment_of(
    const char *name, int descriptor, int is_searched, char *const *given, int is_new_process) {
  char *const *ours = rlp_is_crash_helper(name) ? given : rlp_take_environment(given, is_new_process);
  if (ours == given) return given;
  if (!is_new_process) rlp_note_locked_out();
  int is_refused = rlp_is_refused(name, descriptor, is_searched, given);
  // The loader prints an error for a library that does not exist in the process's root, or may not be read.
  if (!is_refused && rlp_may_load_library()) return ours;
  rlp_give_back_environment(ours);
  if (is_refused) rlp_count_left_out(ENOEXEC);
  return given;
}

// Returns only if the execution failed. It may be the last act of a crash handler that has little stack.
#define EXECUTES(name, what, path, descriptor, is_searched) \
  REAL(name) \
  RLP_EXPORT int name(what file, char *const arguments[], char *const environment[]) { \
    FIND_REAL(name, rlp_missing()); \
    char *const *ours = environment_of(path, descriptor, is_searched, environment, 0); \
    rlp_note_recording_exec(); \
    int result = real(file, arguments, ours); \
    rlp_unnote_recording_end(); \
    rlp_give_back_environment(ours); \
    return result; \
  }

EXECUTES(execve, const char *, file, -1, 0)
EXECUTES(execvpe, const char *, file, -1, 1)
EXECUTES(fexecve, int, NULL, file, 0)

RLP_EXPORT int execv(const char *path, char *const arguments[]) { return execve(path, arguments, environ); }
RLP_EXPORT int execvp(const char *file, char *const arguments[]) { return execvpe(file, arguments, environ); }

// Collects the arguments of a variadic exec in an array. Leaves `rest` just past the terminating NULL.
#define COLLECT(first, rest, arguments) \
  size_t count = 1; \
  va_list rest, copy_; \
  va_start(rest, first); \
  va_copy(copy_, rest); \
  if ((first) != NULL) \
    while (va_arg(copy_, char *) != NULL) count++; \
  va_end(copy_); \
  char **arguments = alloca((count + 1) * sizeof(char *)); \
  arguments[0] = (char *)(first); \
  for (size_t i = 1; i < count; i++) arguments[i] = va_arg(rest, char *); \
  if ((first) != NULL) (void)va_arg(rest, char *); \
  arguments[count] = NULL;

RLP_EXPORT int execl(const char *path, const char *first, ...) {
  COLLECT(first, rest, arguments)
  va_end(rest);
  return execve(path, arguments, environ);
}

RLP_EXPORT int execlp(const char *file, const char *first, ...) {
  COLLECT(first, rest, arguments)
  va_end(rest);
  return execvpe(file, arguments, environ);
}

RLP_EXPORT int execle(const char *path, const char *first, ...) {
  COLLECT(first, rest, arguments)
  char *const *environment = va_arg(rest, char *const *);
  va_end(rest);
  return execve(path, arguments, environment);
}

#define SPAWNS(name, is_searched) \
  REAL(name) \
  RLP_EXPORT int name( \
      pid_t *process, const char *file, const posix_spawn_file_actions_t *actions, \
      const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[]) { \
    FIND_REAL(name, ENOSYS); \
    char *const *ours = environment_of(file, -1, is_searched, environment, 1); \
    int result = real(process, file, actions, attributes, arguments, ours); \
    rlp_give_back_environment(ours); \
    return result; \
  }

SPAWNS(posix_spawn, 0)
SPAWNS(posix_spawnp, 1)
