#include "chains.h"

#include "images.h"
#include "memory.h"
#include "operations.h"

int rlp_chain_add(rlp_chain *chain, uintptr_t address) {
  int kind = rlp_kind_of(address);
  if (chain->count == RLP_CHAIN_MAX || kind == RLP_NOT_CODE) return 0;
  chain->is_program[chain->count] = kind == RLP_PROGRAM_CODE;
  chain->program_count += kind == RLP_PROGRAM_CODE;
  chain->addresses[chain->count++] = address;
  return 1;
}

// Asking the kernel costs more than everything else here, so its answers are remembered where possible. This table
// holds functions whose context held no code. Their contexts never will, because the layout of a closure's captures is
// fixed when it is compiled.
enum { REMEMBERED_BITS = 11, REMEMBERED = 1 << REMEMBERED_BITS };
static uintptr_t ends[REMEMBERED];

static uintptr_t *end_slot(uintptr_t function) {
  return &ends[function * 0x9E3779B97F4A7C15u >> (64 - REMEMBERED_BITS)];
}

static int is_end(uintptr_t function) {
  return __atomic_load_n(end_slot(function), __ATOMIC_RELAXED) == function;
}

// The code of async functions, by their records.
static struct {
  uintptr_t record;
  int32_t distance;
} async_functions[REMEMBERED];

// Returns the code of an async function. It is identified by a record in an image: the distance from the record to
// its code, and the size of its frame.
static uintptr_t async_function(uintptr_t record) {
  if ((record & 3) != 0) return 0;
  uintptr_t *known = &async_functions[record * 0x9E3779B97F4A7C15u >> (64 - REMEMBERED_BITS)].record;
  int32_t *distance = &async_functions[record * 0x9E3779B97F4A7C15u >> (64 - REMEMBERED_BITS)].distance;
  if (__atomic_load_n(known, __ATOMIC_ACQUIRE) == record) {
    int32_t found = __atomic_load_n(distance, __ATOMIC_ACQUIRE);
    // Another thread may be changing the entry.
    if (__atomic_load_n(known, __ATOMIC_ACQUIRE) == record) return record + (uintptr_t)(intptr_t)found;
  }
  int32_t words[2];
  if (!rlp_read((const void *)record, words, sizeof words) || words[0] == 0 || words[1] < 0) return 0;
  uintptr_t code = record + (uintptr_t)(intptr_t)words[0];
  if (rlp_kind_of(code) == RLP_NOT_CODE) return 0;
  __atomic_store_n(known, 0, __ATOMIC_RELEASE);
  __atomic_store_n(distance, words[0], __ATOMIC_RELEASE);
  __atomic_store_n(known, record, __ATOMIC_RELEASE);
  return code;
}

// Returns the function that a captured word refers to; 0 = none.
static uintptr_t captured(uintptr_t word) {
  // The list of images is current, because it was updated for the closure's function. So a word outside all images is
  // not code.
  if (!rlp_is_in_image(word)) return 0;
  return rlp_kind_of(word) != RLP_NOT_CODE ? word : async_function(word);
}

// Reads a context, but only up to the end of its page, because the next page may not exist. Reads word by word and
// volatile, so that the compiler does not turn the loop into memcpy: the program's memcpy may be a sanitizer's, which
// checks where the context ends.
__attribute__((disable_sanitizer_instrumentation))
static size_t read_page(const void *address, uintptr_t *words, size_t count) {
  enum { PAGE = 4096 };
  size_t there = (PAGE - ((uintptr_t)address & (PAGE - 1))) / sizeof *words;
  if (count > there) count = there;
  for (size_t i = 0; i < count; i++) words[i] = ((const volatile uintptr_t *)address)[i];
  return count;
}

static void add_closure(rlp_chain *chain, const uintptr_t *closure, int is_sure, int depth) {
  uintptr_t function = closure[0], context = closure[1];
  if (!rlp_chain_add(chain, function) || is_end(function) || (context & 7) != 0) return;
  // A context's two words of its own, and its first captures.
  enum { HEAD_WORDS = 2, CONTEXT_WORDS = 10, DEPTH_MAX = 4 };
  uintptr_t words[CONTEXT_WORDS + 1] = {0};
  size_t count = CONTEXT_WORDS;
  if (is_sure && context >= 1 << 16) count = read_page((const void *)context, words, count);
  // The size of the context is not known: read fewer words until all of them exist.
  else
    while (!rlp_read((const void *)context, words, count * sizeof *words))
      if ((count -= 2) < HEAD_WORDS + 2) break;
  int is_own = chain->is_program[chain->count - 1];
  for (size_t i = HEAD_WORDS; i < count; i++) {
    // A thunk calls the first function among its captures, which may come after type metadata. A closure of the
    // system's libraries calls a function that it was given.
    uintptr_t inner[2] = {captured(words[i]), words[i + 1]};
    int is_operation = inner[0] == 0 && !is_own && rlp_operation_closure(words[i], inner);
    if (inner[0] == 0) continue;
    chain->has_operation |= is_operation;
    if (chain->inner_count < RLP_CHAIN_MAX) chain->inner[chain->inner_count++] = (rlp_inner_closure){i, words[i]};
    if (depth < DEPTH_MAX) add_closure(chain, inner, is_operation, depth + 1);
    return;
  }
  // A captured function may be in a library that was just loaded. Then it is found the next time.
  if (is_own && !rlp_look_for_images()) __atomic_store_n(end_slot(function), function, __ATOMIC_RELAXED);
}

void rlp_chain_add_closure(rlp_chain *chain, const uintptr_t *closure, int is_sure) {
  add_closure(chain, closure, is_sure, 0);
}

typedef struct {
  void *isa;
  int flags, reserved;
  void *invoke;
  const struct {
    unsigned long reserved, size;
  } *descriptor;
  uintptr_t captures[];
} block_literal;

const uintptr_t *rlp_block_closure(const void *memory, size_t *at) {
  const block_literal *block = memory;
  *at = offsetof(block_literal, captures) / sizeof(uintptr_t);
  return block->descriptor != NULL && block->descriptor->size >= sizeof *block + 2 * sizeof(uintptr_t)
             ? block->captures : NULL;
}

void rlp_chain_add_block(rlp_chain *chain, const void *memory) {
  const block_literal *block = memory;
  rlp_chain_add(chain, (uintptr_t)block->invoke);
  // A block made from a Swift closure captures the function and the context. Any other block of this size captures
  // two words of its own, which are not code.
  size_t at, count = chain->count;
  const uintptr_t *closure = rlp_block_closure(block, &at);
  if (closure == NULL) return;
  chain->inner[chain->inner_count++] = (rlp_inner_closure){at, closure[0]};
  rlp_chain_add_closure(chain, closure, 0);
  if (chain->count == count) chain->inner_count -= 1;
}
