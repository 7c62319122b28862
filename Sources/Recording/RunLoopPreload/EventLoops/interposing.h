// Interposing of system calls. Signal handlers may make them, so the program's own functions are looked up when the
// library is loaded: the loader's lock may be held later.
#ifndef RLP_INTERPOSING_H
#define RLP_INTERPOSING_H

#include "symbols.h"

#define REAL(name) \
  static __typeof__(&name) real_##name(void) { return RLP_REAL(__typeof__(&name), name); }

#define FIND_REAL(name) \
  __typeof__(&name) real = real_##name(); \
  if (__builtin_expect(real == NULL, 0)) return (errno = ENOSYS, -1)

#endif
