// Interposing of system calls. Signal handlers may make them, or threads that must not wait for the loader. So the
// program's own functions are looked up when the library is loaded: the loader's lock may be held later.
#ifndef RLP_INTERPOSING_H
#define RLP_INTERPOSING_H

#include "symbols.h"

// An interposed function: its name, and the program's own function of that name.
typedef struct {
  const char *name;
  void *real;  // NULL = not looked up yet, or the program has none
} rlp_interposed;

// Defines the entry of an interposed function, and what is called until it was looked up. The linker joins all entries
// to one table, so that none of them is forgotten.
#define INTERPOSED(name, until_then) \
  __attribute__((used, section("rlp_interposed"))) static rlp_interposed interposed_##name = {#name, until_then};

// Defines real_NAME, which returns the program's own function.
#define REAL(name) \
  INTERPOSED(name, NULL) \
  static __typeof__(&name) real_##name(void) { \
    void *found = __atomic_load_n(&interposed_##name.real, __ATOMIC_RELAXED); \
    return (__typeof__(&name))(__builtin_expect(found != NULL, 1) ? found : rlp_real(#name, &interposed_##name.real)); \
  }

// Defines `real` as the program's own function, or returns with the given value.
#define FIND_REAL(name, ...) \
  __typeof__(&name) real = real_##name(); \
  if (__builtin_expect(real == NULL, 0)) return __VA_ARGS__

// Returns a call's error for a function that the program does not have.
static inline int rlp_missing(void) {
  errno = ENOSYS;
  return -1;
}

// Looks all of them up.
void rlp_find_interposed(void);

#endif
