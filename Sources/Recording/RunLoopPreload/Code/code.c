#include "code.h"

#include "images.h"
#include "jobs.h"
#include "names.h"
#include "objects.h"
#include "rltrace_unwind.h"
#include "sockets.h"
#include "stack.h"
#include "symbols.h"

enum { SITE_MAX = 4, RUNNERS_MAX = 12, FRAMES_MAX = 48 };

static size_t sites(rlp_caller caller, uintptr_t *found, size_t most);

uint32_t rlp_chain_name(const rlp_chain *chain, int work, rlp_caller caller) {
  uintptr_t words[2 + RLP_CHAIN_MAX + SITE_MAX];
  size_t count = 0;
  for (int is_program = 1; is_program >= 0; is_program--)
    for (size_t i = 0; i < chain->count; i++)
      if (chain->is_program[i] == is_program) words[2 + count++] = chain->addresses[i];
  words[0] = (uintptr_t)work | (uintptr_t)chain->program_count << 8;
  words[1] = count;
  if (chain->program_count == 0) count += sites(caller, words + 2 + count, SITE_MAX);
  return rlp_code(words, 2 + count);
}

uint32_t rlp_block_name(int work, const void *block, rlp_caller caller) {
  rlp_chain chain = {.count = 0};
  rlp_chain_add_block(&chain, block);
  return rlp_chain_name(&chain, work, caller);
}

uint32_t rlp_function_name(uintptr_t function, const void *context, rlp_caller caller) {
  rlp_chain chain = {.count = 0};
  int is_job = rlp_runs_job(function);
  if (is_job) rlp_chain_add_job(&chain, context);
  else rlp_chain_add(&chain, function);
  return rlp_chain_name(&chain, is_job ? RLT_WORK_JOB : RLT_WORK_QUEUE_BLOCK, caller);
}

// Returns the closure of Foundation's Timer: class pointer, reference counts, fire function and its context are at
// fixed places.
static const uintptr_t *timer_closure(const void *info) {
  static void *timer_class;
  if ((uintptr_t)info < 1 << 16 || ((uintptr_t)info & 7) != 0) return NULL;
  const void *expected = rlp_real("$s10Foundation5TimerCN", &timer_class);
  const uintptr_t *words = info;
  return expected != NULL && *(void *const *)info == expected ? words + 3 : NULL;
}

static const void *handler_block(const void *info) {
  static void *stack_block, *malloc_block, *global_block;
  // CoreFoundation's own callout with a block as its context, from CFRunLoopTimerCreateWithHandler.
  if ((uintptr_t)info < 1 << 16 || ((uintptr_t)info & 7) != 0) return NULL;
  const void *isa = *(const void *const *)info;
  int is_block = isa == rlp_real("_NSConcreteMallocBlock", &malloc_block)
                 || isa == rlp_real("_NSConcreteStackBlock", &stack_block)
                 || isa == rlp_real("_NSConcreteGlobalBlock", &global_block);
  return isa != NULL && is_block ? info : NULL;
}

uint32_t rlp_callout_name(int work, uintptr_t callout, const void *info, rlp_caller caller) {
  rlp_chain chain = {.count = 0};
  // Only a callout inside Foundation has contexts whose layout is known.
  if (rlp_kind_of(callout) == RLP_SYSTEM_CODE) {
    uintptr_t of_socket = rlp_socket_callout(info);
    const uintptr_t *closure = of_socket == 0 ? timer_closure(info) : NULL;
    const void *block = of_socket == 0 && closure == NULL ? handler_block(info) : NULL;
    if (of_socket != 0) rlp_chain_add(&chain, of_socket);
    if (closure != NULL) rlp_chain_add_closure(&chain, closure, 1);
    if (block != NULL) rlp_chain_add_block(&chain, block);
  }
  rlp_chain_add(&chain, callout);
  return rlp_chain_name(&chain, work, caller);
}

// Returns the end of the thread's stack if `frame` is on it, otherwise 0.
static uintptr_t stack_end(const void *frame) {
  rlp_stack own = rlp_own_stack();
  return (uintptr_t)frame >= own.begin && (uintptr_t)frame < own.end ? own.end : 0;
}

// Finds the innermost return addresses in the program's own code, at most `most`. Returns their number.
static size_t sites(rlp_caller caller, uintptr_t *found, size_t most) {
  size_t count = 0;
  void *const *frame = caller.frame;
  uintptr_t return_address = caller.return_address, end = frame == NULL ? 0 : stack_end(frame);
  // The first return address is certain. The others follow frame pointers, which not all code keeps.
  for (int depth = 0; depth < FRAMES_MAX && count < most && frame != NULL; depth++) {
    int kind = rlp_kind_of(return_address);
    if (kind == RLP_NOT_CODE) break;
    if (kind == RLP_PROGRAM_CODE) found[count++] = return_address;
    void *const *next = frame[0];
    if (next <= frame || ((uintptr_t)next & 7) != 0 || (uintptr_t)(next + 2) > end) break;
    frame = next;
    return_address = (uintptr_t)frame[1];
  }
  return count;
}

uint32_t rlp_site(rlp_caller caller) {
  uintptr_t found[SITE_MAX];
  return rlp_addresses(found, sites(caller, found, SITE_MAX));
}

void rlp_note_runner(uint8_t mode, rlp_caller caller) {
  uintptr_t words[1 + SITE_MAX];
  size_t count = sites(caller, words + 1, SITE_MAX);
  if (count > 0) rlp_log_runner(mode, 0, words, 1 + count);
}

// Returns whether this recording has no note of these addresses yet, and remembers them.
static int is_new_runner(const uintptr_t *addresses, size_t count) {
  enum { KNOWN = 64 };
  static uint64_t known[KNOWN];
  uint64_t hash = 14695981039346656037u ^ rlp_session();
  for (size_t i = 0; i < count; i++) hash = (hash ^ addresses[i]) * 1099511628211u;
  hash |= 1;
  for (size_t i = 0; i < KNOWN; i++) {
    uint64_t free_place = 0;
    if (__atomic_compare_exchange_n(&known[i], &free_place, hash, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return 1;
    if (free_place == hash) return 0;
  }
  return 0;
}

// Finds the program's own callers, innermost first: an address inside the call, then return addresses. Unlike `sites`,
// this reads the tables for unwinding, because most code keeps no frame pointers.
static size_t callers(rlp_caller caller, uintptr_t *found, size_t most) {
#if defined(__x86_64__)
  uint64_t frames[RLT_FRAMES_MAX];
  uintptr_t end = caller.frame == NULL ? 0 : stack_end(caller.frame);
  if (end == 0) return 0;
  const void *const *outer = (const void *const *)caller.frame + 2;
  rlt_registers registers = {.known = 0};
  rlt_set_register(&registers, RLT_REGISTER_PC, caller.return_address - 1);
  rlt_set_register(&registers, RLT_REGISTER_SP, (uint64_t)(uintptr_t)outer);
  rlt_set_register(&registers, RLT_REGISTER_FP, (uint64_t)(uintptr_t)caller.frame[0]);
  rlt_stack_bytes stack = {
      .start = (uint64_t)(uintptr_t)outer, .count = end - (uintptr_t)outer, .bytes = (const unsigned char *)outer};
  size_t count = 0, all = rlt_unwind(&registers, &stack, 0, frames, RLT_FRAMES_MAX);
  for (size_t i = 0; i < all && count < most; i++) {
    if (rlp_kind_of((uintptr_t)frames[i]) != RLP_PROGRAM_CODE) continue;
    found[count] = (uintptr_t)frames[i] - (count == 0 && i > 0);
    count++;
  }
  return count;
#else
  size_t count = sites(caller, found, most);
  if (count > 0) found[0] -= 1;
  return count;
#endif
}

// Logs the program's own callers of a run, unless they are known.
static void log_callers(uint8_t mode, uint16_t flags, rlp_caller caller) {
  uintptr_t words[1 + RUNNERS_MAX];
  size_t count = callers(caller, words + 1, RUNNERS_MAX);
  if (count > 0 && is_new_runner(words + 1, count)) rlp_log_runner(mode, flags, words, 1 + count);
}

void rlp_note_nested_run(uint8_t mode, rlp_caller caller) {
  // A program that runs its loop in a loop of its own makes the same call again and again.
  static RLT_TLS rlp_caller last;
  if (caller.frame == last.frame && caller.return_address == last.return_address) return;
  last = caller;
  log_callers(mode, RLT_RUNNER_IS_NESTED, caller);
}

void rlp_note_poll(uint8_t mode, rlp_caller caller) {
  // Looks at the stack less and less often, because a look takes as long as many polls. The intervals are odd, so
  // that all places are found if several poll in turn. Slow polls of one mode do not wait for the interval of another
  // mode that is polled fast, unless their ids share a place.
  enum { FIRST = 31, PLACES = 8 };
  static RLT_TLS struct {
    uint64_t polls, next;
  } of_modes[PLACES];
  __auto_type own = &of_modes[mode % PLACES];
  if (own->next == 0) own->next = FIRST;
  if (++own->polls < own->next) return;
  own->next = 2 * own->next + 1;
  log_callers(mode, RLT_RUNNER_POLLS, caller);
}
