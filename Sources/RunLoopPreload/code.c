#include "code.h"

#include "images.h"
#include "names.h"
#include "symbols.h"

enum { CHAIN_MAX = 6, SITE_MAX = 4, FRAMES_MAX = 48 };

typedef struct {
  uintptr_t addresses[CHAIN_MAX];
  size_t count;
} chain;

static int add(chain *chain, uintptr_t address) {
  if (chain->count == CHAIN_MAX || rlp_kind_of(address) == RLP_NOT_CODE) return 0;
  chain->addresses[chain->count++] = address;
  return 1;
}

// Reads words that may not be there: what looks like a closure's context may be anything of the program's. The kernel
// looks instead of us.
static int read_words(const void *address, uintptr_t *words, size_t count) {
  if (((uintptr_t)address & 15) != 0 || (uintptr_t)address < 1 << 16) return 0;
  struct iovec here = {words, count * sizeof *words}, there = {(void *)address, count * sizeof *words};
  int kept_errno = errno;
  ssize_t got = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
  errno = kept_errno;
  return got == (ssize_t)here.iov_len;
}

// A Swift closure: a function, and a context whose first capture often is the function behind a thunk.
static void add_closure(chain *chain, const uintptr_t *closure) {
  if (!add(chain, closure[0])) return;
  uintptr_t context[4] = {0, 0, 0, closure[1]};
  for (int depth = 0; depth < 2; depth++)
    if (!read_words((const void *)context[3], context, 4) || !add(chain, context[2])) return;
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

static void add_block(chain *chain, const block_literal *block) {
  add(chain, (uintptr_t)block->invoke);
  // A block made of a Swift closure captures it: function and context. Any other block of this size captures two
  // words of its own, which are no code.
  if (block->descriptor != NULL && block->descriptor->size >= sizeof *block + 2 * sizeof(uintptr_t))
    add_closure(chain, block->captures);
}

uint32_t rlp_block_name(const void *block) {
  chain chain = {.count = 0};
  add_block(&chain, block);
  return rlp_addresses(RLT_NAME_CODE, chain.addresses, chain.count);
}

// Foundation's Timer: class pointer, reference counts, fire function and its context at fixed places.
static const uintptr_t *timer_closure(const void *info) {
  static void *timer_class;
  if ((uintptr_t)info < 1 << 16 || ((uintptr_t)info & 7) != 0) return NULL;
  const void *expected = rlp_real("$s10Foundation5TimerCN", &timer_class);
  const uintptr_t *words = info;
  return expected != NULL && *(void *const *)info == expected ? words + 3 : NULL;
}

static const block_literal *handler_block(uintptr_t callout, const void *info) {
  static void *stack_block, *malloc_block, *global_block;
  // CoreFoundation's own callout with a block as its context: CFRunLoopTimerCreateWithHandler.
  if ((uintptr_t)info < 1 << 16 || ((uintptr_t)info & 7) != 0 || rlp_kind_of(callout) != RLP_SYSTEM_CODE) return NULL;
  const block_literal *block = info;
  int is_block = block->isa == rlp_real("_NSConcreteMallocBlock", &malloc_block)
                 || block->isa == rlp_real("_NSConcreteStackBlock", &stack_block)
                 || block->isa == rlp_real("_NSConcreteGlobalBlock", &global_block);
  return block->isa != NULL && is_block ? block : NULL;
}

uint32_t rlp_callout_name(uintptr_t callout, const void *info) {
  chain chain = {.count = 0};
  // Only a callout inside Foundation has contexts whose shape is known.
  if (rlp_kind_of(callout) == RLP_SYSTEM_CODE) {
    const uintptr_t *closure = timer_closure(info);
    const block_literal *block = closure == NULL ? handler_block(callout, info) : NULL;
    if (closure != NULL) add_closure(&chain, closure);
    if (block != NULL) add_block(&chain, block);
  }
  add(&chain, callout);
  return rlp_addresses(RLT_NAME_CODE, chain.addresses, chain.count);
}

// The end of the thread's stack when `frame` is on it, else 0: programs run on stacks of their own making, too.
static uintptr_t stack_end(const void *frame) {
  static RLT_TLS uintptr_t begin, end;
  if (end == 0) {
    pthread_attr_t attributes;
    void *start;
    size_t bytes;
    int cancel_state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
      if (pthread_attr_getstack(&attributes, &start, &bytes) == 0) {
        begin = (uintptr_t)start;
        end = begin + bytes;
      }
      pthread_attr_destroy(&attributes);
    }
    pthread_setcancelstate(cancel_state, NULL);
  }
  return (uintptr_t)frame >= begin && (uintptr_t)frame < end ? end : 0;
}

uint32_t rlp_site(void *const *frame, uintptr_t return_address) {
  uintptr_t found[SITE_MAX];
  size_t count = 0;
  uintptr_t end = stack_end(frame);
  // The first return address is sure; the others follow frame pointers, which not all code keeps.
  for (int depth = 0; depth < FRAMES_MAX && count < SITE_MAX; depth++) {
    int kind = rlp_kind_of(return_address);
    if (kind == RLP_NOT_CODE) break;
    if (kind == RLP_PROGRAM_CODE) found[count++] = return_address;
    void *const *next = frame[0];
    if (next <= frame || ((uintptr_t)next & 7) != 0 || (uintptr_t)(next + 2) > end) break;
    frame = next;
    return_address = (uintptr_t)frame[1];
  }
  return rlp_addresses(RLT_NAME_SITE, found, count);
}
