// Programs that a recorded one executes or starts get the variables that were taken from it.
#include "exec.h"
#include "recording.h"
#include "settings.h"
#include "symbols.h"

typedef int (*exec_function)(const char *, char *const *, char *const *);
typedef int (*exec_descriptor_function)(int, char *const *, char *const *);
typedef int (*spawn_function)(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,
                              char *const *, char *const *);

static exec_function real_execve(void) { return RLP_REAL(exec_function, execve); }
static exec_function real_execvpe(void) { return RLP_REAL(exec_function, execvpe); }

void rlp_find_exec(void) {
  real_execve();
  real_execvpe();
}

static int missing(void) {
  errno = ENOSYS;
  return -1;
}

// Comes back only when it failed.
static int execute(exec_function real, const char *path, char *const *arguments, char *const *environment) {
  if (real == NULL) return missing();
  char *const *ours = rlp_take_environment(environment, 0);
  rlp_note_recording_end();
  int result = real(path, arguments, ours);
  rlp_unnote_recording_end();
  rlp_give_back_environment(ours);
  return result;
}

RLP_EXPORT int execve(const char *path, char *const arguments[], char *const environment[]) {
  return execute(real_execve(), path, arguments, environment);
}

RLP_EXPORT int execvpe(const char *file, char *const arguments[], char *const environment[]) {
  return execute(real_execvpe(), file, arguments, environment);
}

RLP_EXPORT int execv(const char *path, char *const arguments[]) { return execve(path, arguments, environ); }
RLP_EXPORT int execvp(const char *file, char *const arguments[]) { return execvpe(file, arguments, environ); }

RLP_EXPORT int fexecve(int descriptor, char *const arguments[], char *const environment[]) {
  exec_descriptor_function real = RLP_REAL(exec_descriptor_function, fexecve);
  if (real == NULL) return missing();
  char *const *ours = rlp_take_environment(environment, 0);
  rlp_note_recording_end();
  int result = real(descriptor, arguments, ours);
  rlp_unnote_recording_end();
  rlp_give_back_environment(ours);
  return result;
}

// The arguments of a variadic exec as an array; `rest` is left behind the NULL that ends them.
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

static int spawn(spawn_function real, pid_t *process, const char *path, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, char *const *arguments, char *const *environment) {
  if (real == NULL) return ENOSYS;
  char *const *ours = rlp_take_environment(environment, 1);
  int result = real(process, path, actions, attributes, arguments, ours);
  rlp_give_back_environment(ours);
  return result;
}

RLP_EXPORT int posix_spawn(pid_t *process, const char *path, const posix_spawn_file_actions_t *actions,
                           const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[]) {
  return spawn(RLP_REAL(spawn_function, posix_spawn), process, path, actions, attributes, arguments, environment);
}

RLP_EXPORT int posix_spawnp(pid_t *process, const char *file, const posix_spawn_file_actions_t *actions,
                            const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[]) {
  return spawn(RLP_REAL(spawn_function, posix_spawnp), process, file, actions, attributes, arguments, environment);
}

// Ends without destructors, which would say that it ended.
static _Noreturn void end_now(int status) {
  rlp_note_end();
  for (;;) syscall(SYS_exit_group, status);
}

RLP_EXPORT void _exit(int status) { end_now(status); }
RLP_EXPORT void _Exit(int status) { end_now(status); }
