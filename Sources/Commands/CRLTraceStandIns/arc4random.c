// A function of glibc 2.36, for programs that run with glibc 2.35.
//
// The archive of libstdc++ of Debian 12 refers to it. rltrace never calls the code that does, but the linker keeps the
// reference, and the loader of a system without the function refuses the program.
//
// Compiled only with RLTRACE_LINKS_STATICALLY, like icu_data.c.
#if RLTRACE_LINKS_STATICALLY
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

uint32_t arc4random(void) {
  uint32_t number;
  if (getentropy(&number, sizeof number) != 0) abort();
  return number;
}
#endif
