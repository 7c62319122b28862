// CoreFoundation's types and functions, declared without its headers, because a program may have none.
#ifndef RLP_SYMBOLS_H
#define RLP_SYMBOLS_H

#include "preload.h"

typedef void *rlp_object_ref;          // any CFTypeRef
typedef unsigned char rlp_boolean;     // Boolean
typedef long rlp_index;                // CFIndex

typedef void (*rlp_timer_callout)(rlp_object_ref timer, void *info);
typedef void (*rlp_perform)(void *info);

typedef struct {
  rlp_index version;
  void *info;
  const void *(*retain)(const void *);
  void (*release)(const void *);
  rlp_object_ref (*copy_description)(const void *);
} rlp_context;  // of timers and observers

typedef struct {
  rlp_index version;
  void *info;
  const void *(*retain)(const void *);
  void (*release)(const void *);
  rlp_object_ref (*copy_description)(const void *);
  rlp_boolean (*equal)(const void *, const void *);
  unsigned long (*hash)(const void *);
  void *schedule;  // version 1: getPort
  void *cancel;    // version 1: perform
  void *perform;   // version 0 only
} rlp_source_context;

// Returns the real function behind a name, looked up at its first use; NULL if the program has none. Constructors
// must not call it, because CoreFoundation may be loaded later.
void *rlp_real(const char *name, void **slot);
// Looks up the real function of the C library, or of another library that is loaded already. Faster if there is none.
void *rlp_real_of_system(const char *name, void **slot);

// The C library's own dlsym(3), which ours interposes.
typedef void *(*rlp_lookup)(void *handle, const char *name);
rlp_lookup rlp_real_lookup(void);

// A sanitizer looks functions up before it has set up what instrumented code needs.
#define RLP_EARLY __attribute__((disable_sanitizer_instrumentation))

// The program's own `name`.
#define RLP_REAL(type, name) \
  ({ \
    static void *slot_; \
    void *found_ = __atomic_load_n(&slot_, __ATOMIC_RELAXED); \
    (type)(__builtin_expect(found_ != NULL, 1) ? found_ : rlp_real(#name, &slot_)); \
  })

// For an interposing function: defines `real` as the program's own function of that name. If the program has none,
// returns with the given value.
#define RLP_FIND_REAL(name, ...) \
  __typeof__(&name) real = RLP_REAL(__typeof__(&name), name); \
  if (real == NULL) return __VA_ARGS__

#endif
