// The program limits its address space, or locks its memory. A spool takes much address space but little memory.
#include "interposing.h"
#include "recording.h"
#include "rltrace_spool_space.h"
#include "settings.h"

// The functions exist under two names each, for sizes of files and memory of 64 bits.
#define SETS_LIMIT(name, type) \
  REAL(name) \
  RLP_EXPORT int name(__rlimit_resource_t resource, const struct type *limit) { \
    FIND_REAL(name, rlp_missing()); \
    int result = real(resource, limit); \
    if (result == 0 && resource == RLIMIT_AS) rlp_fit_recording(); \
    return result; \
  }

SETS_LIMIT(setrlimit, rlimit)
SETS_LIMIT(setrlimit64, rlimit64)

#define CHANGES_LIMIT(name, type) \
  REAL(name) \
  RLP_EXPORT int name( \
      pid_t process, enum __rlimit_resource resource, const struct type *limit, struct type *earlier) { \
    FIND_REAL(name, rlp_missing()); \
    int result = real(process, resource, limit, earlier); \
    if (result == 0 && limit != NULL && resource == RLIMIT_AS) rlp_fit_recording(); \
    return result; \
  }

CHANGES_LIMIT(prlimit, rlimit)
CHANGES_LIMIT(prlimit64, rlimit64)

// Locks the memory of one line of the kernel's list of mappings, unless it is the spool's.
static void lock_mapping(const char *line, uintptr_t spool, uintptr_t spool_end) {
  char *rest;
  uintptr_t start = strtoul(line, &rest, 16), end = *rest == '-' ? strtoul(rest + 1, NULL, 16) : 0;
  if (start >= end || (start < spool_end && end > spool)) return;
  // As mlockall does, this ignores memory that cannot be accessed.
  (void)mlock((void *)start, end - start);
}

// Locks all memory but the spool's. Only the start of each line is kept; a path may be long.
static void lock_mappings(uintptr_t spool, uintptr_t spool_end) {
  int descriptor = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return;
  char text[1024], line[64];
  size_t length = 0;
  for (ssize_t count; (count = read(descriptor, text, sizeof text)) > 0;) {
    for (ssize_t i = 0; i < count; i++) {
      if (text[i] != '\n') {
        if (length < sizeof line - 1) line[length++] = text[i];
        continue;
      }
      line[length] = 0;
      length = 0;
      lock_mapping(line, spool, spool_end);
    }
  }
  close(descriptor);
}

REAL(mlockall)

// Locking a spool would fill it with hundreds of megabytes of zeros. So its pages are locked on use at first, the
// other memory is locked after that, and the spool is unlocked.
RLP_EXPORT int mlockall(int flags) {
  FIND_REAL(mlockall, rlp_missing());
  size_t bytes = 0;
  const void *spool = rlp_settings.is_wanted ? rlp_spool_memory(&bytes) : NULL;
  int is_special = spool != NULL && (flags & MCL_CURRENT) != 0 && (flags & MCL_ONFAULT) == 0;
  int result = is_special ? real(flags | MCL_ONFAULT) : -1;
  if (result != 0) result = real(flags);
  else {
    lock_mappings((uintptr_t)spool, (uintptr_t)spool + bytes);
    if ((flags & MCL_FUTURE) != 0) result = real(MCL_FUTURE);
  }
  if (result != 0) return result;
  int kept_errno = errno;
  if (spool != NULL) munlock(spool, bytes);
  if (rlp_settings.is_wanted) __atomic_store_n(&rlt_memory_is_locked, (flags & MCL_FUTURE) != 0, __ATOMIC_RELAXED);
  errno = kept_errno;
  return result;
}

REAL(munlockall)

RLP_EXPORT int munlockall(void) {
  FIND_REAL(munlockall, rlp_missing());
  int result = real();
  if (result == 0) __atomic_store_n(&rlt_memory_is_locked, 0, __ATOMIC_RELAXED);
  return result;
}
