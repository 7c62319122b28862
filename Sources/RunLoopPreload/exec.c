// Programs that a recorded one executes or starts get the variables that were taken from it.
#include "settings.h"
#include "symbols.h"

#define WITH_OURS(environment, is_new_process) \
  ({ \
    size_t bytes_ = rlp_environment_bytes(environment, is_new_process); \
    bytes_ == 0 ? (char **)(environment) : rlp_environment_for_exec(environment, alloca(bytes_)); \
  })

typedef int (*exec_function)(const char *, char *const *, char *const *);
typedef int (*spawn_function)(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,
                              char *const *, char *const *);

static int missing(void) {
  errno = ENOSYS;
  return -1;
}

RLP_EXPORT int execve(const char *path, char *const arguments[], char *const environment[]) {
  exec_function real = RLP_REAL(exec_function, execve);
  return real == NULL ? missing() : real(path, arguments, WITH_OURS(environment, 0));
}

RLP_EXPORT int execvpe(const char *file, char *const arguments[], char *const environment[]) {
  exec_function real = RLP_REAL(exec_function, execvpe);
  return real == NULL ? missing() : real(file, arguments, WITH_OURS(environment, 0));
}

RLP_EXPORT int execv(const char *path, char *const arguments[]) { return execve(path, arguments, environ); }
RLP_EXPORT int execvp(const char *file, char *const arguments[]) { return execvpe(file, arguments, environ); }

RLP_EXPORT int fexecve(int descriptor, char *const arguments[], char *const environment[]) {
  int (*real)(int, char *const *, char *const *) = RLP_REAL(int (*)(int, char *const *, char *const *), fexecve);
  return real == NULL ? missing() : real(descriptor, arguments, WITH_OURS(environment, 0));
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

RLP_EXPORT int posix_spawn(pid_t *process, const char *path, const posix_spawn_file_actions_t *actions,
                           const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[]) {
  spawn_function real = RLP_REAL(spawn_function, posix_spawn);
  return real == NULL ? ENOSYS : real(process, path, actions, attributes, arguments, WITH_OURS(environment, 1));
}

RLP_EXPORT int posix_spawnp(pid_t *process, const char *file, const posix_spawn_file_actions_t *actions,
                            const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[]) {
  spawn_function real = RLP_REAL(spawn_function, posix_spawnp);
  return real == NULL ? ENOSYS : real(process, file, actions, attributes, arguments, WITH_OURS(environment, 1));
}
