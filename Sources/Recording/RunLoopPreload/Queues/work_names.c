#include "work_names.h"

#include "chains.h"
#include "images.h"
#include "memory.h"
#include "names.h"
#include "session.h"
#include "stack.h"

// Facts about code. The key is a hash of addresses: a function, and the functions of the closures that it got.
typedef struct {
  uint64_t key;    // stored last; 0 = free, CHANGING
  uint64_t value;  // a string id; what this file notes about it, in the upper 8 bits; the recording's number in between
} entry;

enum { ENTRIES_BITS = 13, ENTRIES = 1 << ENTRIES_BITS, PLACES = 4 };
enum { STRING_BITS = 32, NOTE_BITS = 8, SESSION_BITS = 64 - STRING_BITS - NOTE_BITS };
static const uint64_t changing = 1;
static entry entries[ENTRIES];

static uint64_t session_part(void) {
  return (uint64_t)(rlp_session() & ((1u << SESSION_BITS) - 1)) << STRING_BITS;
}

static uint64_t mixed(uint64_t key, uintptr_t word) {
  uint64_t hash = (key ^ word) * 0x9E3779B97F4A7C15u;
  return (hash ^ hash >> 29) | 2;  // neither 0 nor `changing`
}

static entry *place(uint64_t key, int i) { return &entries[((key >> (64 - ENTRIES_BITS)) + (unsigned)i) % ENTRIES]; }

static int find(uint64_t key, uint32_t *string, size_t *note) {
  for (int i = 0; i < PLACES; i++) {
    const entry *at = place(key, i);
    if (__atomic_load_n(&at->key, __ATOMIC_ACQUIRE) != key) continue;
    uint64_t value = __atomic_load_n(&at->value, __ATOMIC_ACQUIRE);
    const uint64_t session = ((uint64_t)1 << SESSION_BITS) - 1;
    if (__atomic_load_n(&at->key, __ATOMIC_RELAXED) != key || (value & session << STRING_BITS) != session_part())
      return 0;
    *string = (uint32_t)value;
    *note = value >> (STRING_BITS + SESSION_BITS);
    return 1;
  }
  return 0;
}

// If all places are taken, the first one is used again.
static void keep(uint64_t key, uint32_t string, size_t note) {
  entry *at = place(key, 0);
  for (int i = PLACES - 1; i >= 0; i--) {
    uint64_t found = __atomic_load_n(&place(key, i)->key, __ATOMIC_RELAXED);
    if (found == 0 || found == key) at = place(key, i);
    if (found == key) break;
  }
  uint64_t earlier = __atomic_load_n(&at->key, __ATOMIC_RELAXED);
  if (earlier == changing
      || !__atomic_compare_exchange_n(&at->key, &earlier, changing, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
    return;
  uint64_t value = string | session_part() | (uint64_t)note << (STRING_BITS + SESSION_BITS);
  __atomic_store_n(&at->value, value, __ATOMIC_RELEASE);
  __atomic_store_n(&at->key, key, __ATOMIC_RELEASE);
}

// MARK: Names

// Follows a function through the contexts of its closures, in the way it was followed before. `sure`: the number of
// contexts that are known to exist; others are read through the kernel.
static uint32_t known_name(uint64_t key, const uintptr_t *context, int sure) {
  uint32_t string;
  size_t at;
  for (int depth = 0; depth <= RLP_CHAIN_MAX && find(key, &string, &at); depth++) {
    // The position of the inner closure; none: the name is complete.
    if (at == 0) return string;
    uintptr_t words[2];
    if (context == NULL || ((uintptr_t)context & 7) != 0) return 0;
    if (depth < sure) memcpy(words, context + at, sizeof words);
    else if (!rlp_read(context + at, words, sizeof words)) return 0;
    key = mixed(key, words[0]);
    context = (const uintptr_t *)words[1];
  }
  return 0;
}

// Names a chain, and keeps how it was found. A closure of the system's code may have another function next time.
static uint32_t new_name(uint64_t key, const rlp_chain *chain, int work) {
  uint32_t string = rlp_chain_name(chain, work, (rlp_caller){0});
  if (string == 0 || chain->has_operation || (chain->program_count == 0 && chain->count > 1)) return string;
  for (size_t i = 0; i < chain->inner_count; i++) {
    keep(key, 0, chain->inner[i].at);
    key = mixed(key, chain->inner[i].word);
  }
  keep(key, string, 0);
  return string;
}

enum { FUNCTION = 1, BLOCK, TASK, PLACE };

uint32_t rlp_work_name_of_function(uintptr_t function) {
  uint64_t key = mixed(FUNCTION, function);
  uint32_t string = known_name(key, NULL, 0);
  if (string != 0) return string;
  rlp_chain chain = {.count = 0};
  rlp_chain_add(&chain, function);
  return new_name(key, &chain, RLT_WORK_OF_QUEUE);
}

uint32_t rlp_work_name_of_block(const void *block, uint64_t *kind) {
  // The function of a block follows two words.
  uint64_t key = mixed(BLOCK, ((const uintptr_t *)block)[2]);
  uint32_t string = known_name(key, block, 1);
  *kind = RLT_WORK_OF_BLOCK;
  // The names of operations are not kept.
  if (string != 0) return string;
  rlp_chain chain = {.count = 0};
  rlp_chain_add_block(&chain, block);
  if (chain.has_operation) *kind = RLT_WORK_OF_OPERATION;
  return new_name(key, &chain, RLT_WORK_OF_QUEUE);
}

uint32_t rlp_work_name_of_task(const uintptr_t *closure) {
  uint64_t key = mixed(TASK, closure[0]);
  uint32_t string = known_name(key, (const uintptr_t *)closure[1], RLP_CHAIN_MAX);
  if (string != 0) return string;
  rlp_chain chain = {.count = 0};
  rlp_chain_add_closure(&chain, closure, 1);
  return new_name(key, &chain, RLT_WORK_TASK);
}

// MARK: Places

uint32_t rlp_work_place(rlp_caller caller) {
  enum { FRAMES_MAX = 12, IS_PROGRAM = 1, IS_SYSTEM = 2 };
  void *const *frame = caller.frame;
  uintptr_t address = caller.return_address;
  for (int depth = 0; depth < FRAMES_MAX; depth++) {
    uint64_t key = mixed(PLACE, address);
    uint32_t string = 0;
    size_t note;
    if (!find(key, &string, &note)) {
      int kind = rlp_kind_of(address);
      if (kind == RLP_NOT_CODE) return 0;
      note = kind == RLP_PROGRAM_CODE ? IS_PROGRAM : IS_SYSTEM;
      if (note == IS_PROGRAM) string = rlp_addresses(&address, 1);
      keep(key, string, note);
    }
    if (note == IS_PROGRAM) return string;
    rlp_stack own = rlp_own_stack();
    // The first return address is certain. The others follow frame pointers, which not all code keeps.
    if ((uintptr_t)frame < own.begin || (uintptr_t)frame >= own.end) return 0;
    void *const *next = frame[0];
    if (next <= frame || ((uintptr_t)next & 7) != 0 || (uintptr_t)(next + 2) > own.end) return 0;
    frame = next;
    address = (uintptr_t)frame[1];
  }
  return 0;
}
