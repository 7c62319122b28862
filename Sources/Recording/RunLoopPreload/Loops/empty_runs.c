#include "empty_runs.h"

// The kinds of callers. `run(mode:before:)` asks once. `run()` and `run(until:)` ask before each of their runs.
enum { OTHER = 1, RUNS_ONCE = 2, RUNS_UNTIL = 3, RUNS_FOR_EVER = 4, KIND_BITS = 3 };

// Finds the kind by the symbol around the return address. The result is kept, because asking the loader is slow and
// its lock may be held for a long time.
static int kind_of(uintptr_t return_address) {
  enum { KNOWN_MAX = 8 };
  static uintptr_t known[KNOWN_MAX];  // the address, and the kind in the lowest bits
  static const char run[] = "$s10Foundation7RunLoopC3run";
  int free_place = -1;
  for (int i = 0; i < KNOWN_MAX; i++) {
    uintptr_t entry = __atomic_load_n(&known[i], __ATOMIC_RELAXED);
    if (entry >> KIND_BITS == return_address) return (int)(entry & ((1 << KIND_BITS) - 1));
    if (entry == 0 && free_place < 0) free_place = i;
  }
  Dl_info info;
  int kind = OTHER;
  if (dladdr((void *)(return_address - 1), &info) != 0 && info.dli_sname != NULL
      && strncmp(info.dli_sname, run, sizeof run - 1) == 0) {
    const char *rest = info.dli_sname + sizeof run - 1;
    kind = strcmp(rest, "yyF") == 0          ? RUNS_FOR_EVER
           : strncmp(rest, "5until", 6) == 0 ? RUNS_UNTIL
           : strncmp(rest, "4mode", 5) == 0  ? RUNS_ONCE
                                             : OTHER;
  }
  // Another thread may overwrite the entry meanwhile. Then the loader is asked again.
  if (free_place >= 0)
    __atomic_store_n(&known[free_place], return_address << KIND_BITS | (uintptr_t)kind, __ATOMIC_RELAXED);
  return kind;
}

int rlp_returns_early(rlp_caller caller, int is_finished, uint64_t *timeout_ns) {
  // The frame of the call that has already made runs. Its return when the mode becomes empty is not an
  // empty run.
  static RLT_TLS const void *running;
  int kind = kind_of(caller.return_address);
  if (kind == OTHER) return 0;
  int has_run = kind != RUNS_ONCE && running == caller.frame;
  if (kind != RUNS_ONCE) running = is_finished ? NULL : caller.frame;
  *timeout_ns = kind == RUNS_FOR_EVER ? UINT64_MAX : 0;
  return is_finished && !has_run;
}
