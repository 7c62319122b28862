#include "blocks.h"

#include "loops.h"
#include "names.h"
#include "objects.h"
#include "recording.h"

// The layout of blocks is the ABI of the Blocks runtime (clang's Block-ABI-Apple).
typedef struct {
  unsigned long reserved, size;
  void (*copy)(void *, const void *);
  void (*dispose)(const void *);
} block_descriptor;

enum { HAS_COPY_DISPOSE = 1 << 25 };

static void copy(void *target, const void *source) {
  __auto_type real = RLP_REAL(void *(*)(const void *), _Block_copy);
  ((rlp_block *)target)->original = real(((const rlp_block *)source)->original);
}

void rlp_discard_block(rlp_block *block) {
  uint32_t object = __atomic_exchange_n(&block->object, 0, __ATOMIC_ACQ_REL);
  rlp_discard_as(block->queue == 0 ? RLT_KIND_BLOCK_DISCARD : RLT_KIND_WORK_DISCARD, object, block->session);
}

// The last call for a block. A block that ran no longer has an object.
static void dispose(const void *memory) {
  rlp_block *block = (rlp_block *)memory;
  rlp_discard_block(block);
  __auto_type real = RLP_REAL(void (*)(const void *), _Block_release);
  real(block->original);
}

static const block_descriptor descriptor = {0, sizeof(rlp_block), copy, dispose};

int rlp_wrap_block(rlp_block *made, void *original, int work, void (*invoke)(rlp_block *)) {
  static void *isa;
  void *stack_block = rlp_real("_NSConcreteStackBlock", &isa);
  if (stack_block == NULL || RLP_REAL(void *, _Block_copy) == NULL || RLP_REAL(void *, _Block_release) == NULL)
    return 0;
  *made = (rlp_block){
      .isa = stack_block, .flags = HAS_COPY_DISPOSE, .invoke = invoke, .descriptor = &descriptor, .original = original,
      .session = rlp_session(), .work = work};
  return 1;
}

uint32_t rlp_queue_object(uint32_t name, uint32_t loop, uint64_t due_ns) {
  uint32_t object = rlp_object_make();
  if (due_ns == 0) RLP_EMIT(RLT_KIND_BLOCK_CREATE, rlt_thread.mode, object, name, loop);
  else RLP_EMIT(RLT_KIND_BLOCK_CREATE, rlt_thread.mode, object, name, loop, due_ns);
  return object;
}

enum { BLOCK_MODES_MAX = 16 };

static int is_of_type(void *object, unsigned long (*type)(void)) {
  __auto_type type_of = RLP_REAL(unsigned long (*)(void *), CFGetTypeID);
  return type != NULL && type_of != NULL && type_of(object) == type();
}

static int is_string(void *object) {
  return object != NULL && is_of_type(object, RLP_REAL(unsigned long (*)(void), CFStringGetTypeID));
}

// CoreFoundation takes a mode, an array of modes or a set of modes. Returns the number of `modes`; for a long array,
// only the first ones. 0 = not known.
static rlp_index read_modes(void *given, void **modes) {
  typedef struct {
    rlp_index location, length;
  } range;
  if (is_string(given)) {
    modes[0] = given;
    return 1;
  }
  rlp_index count = 0;
  if (is_of_type(given, RLP_REAL(unsigned long (*)(void), CFArrayGetTypeID))) {
    __auto_type count_of = RLP_REAL(rlp_index (*)(void *), CFArrayGetCount);
    __auto_type get = RLP_REAL(void (*)(void *, range, void **), CFArrayGetValues);
    if (count_of == NULL || get == NULL) return 0;
    count = count_of(given) < BLOCK_MODES_MAX ? count_of(given) : BLOCK_MODES_MAX;
    get(given, (range){0, count}, modes);
  } else if (is_of_type(given, RLP_REAL(unsigned long (*)(void), CFSetGetTypeID))) {
    __auto_type count_of = RLP_REAL(rlp_index (*)(void *), CFSetGetCount);
    __auto_type get = RLP_REAL(void (*)(void *, void **), CFSetGetValues);
    if (count_of == NULL || get == NULL || count_of(given) > BLOCK_MODES_MAX) return 0;
    count = count_of(given);
    get(given, modes);
  }
  return count;
}

// The modes are the last arguments; an unknown mode is 0. The block may run at once, so its due time is now.
static uint32_t queue_in_loop(uint32_t name, uint32_t loop, void *given) {
  void *modes[BLOCK_MODES_MAX];
  uint64_t arguments[3 + BLOCK_MODES_MAX] = {name, loop, rlt_monotonic_ns()};
  rlp_index count = read_modes(given, modes);
  for (rlp_index i = 0; i < count; i++) arguments[3 + i] = is_string(modes[i]) ? rlp_mode(modes[i]) : 0;
  uint32_t object = rlp_object_make();
  rlt_emit_arguments(RLT_KIND_BLOCK_CREATE, rlt_thread.mode, object, arguments, (uint8_t)(3 + (count == 0 ? 1 : count)));
  return object;
}

static void invoke_in_loop(rlp_block *block) {
  RLP_KEEP_FRAME();
  if (!rlp_is_recording()) {
    block->original->invoke(block->original);
    return;
  }
  if (!rlp_knows(block->object, block->session)) {
    // The block was queued before a fork.
    __auto_type loop = RLP_REAL(void *(*)(void), CFRunLoopGetCurrent);
    block->session = rlp_session();
    block->object = rlp_queue_object(
        rlp_block_name(RLT_WORK_LOOP_BLOCK, block->original, (rlp_caller){0}), loop == NULL ? 0 : rlp_loop(loop()), 0);
  }
  uint32_t object = block->object, session = block->session;
  block->object = 0;
  rlt_emit(RLT_KIND_BLOCK_BEGIN, object);
  block->original->invoke(block->original);
  if (session != rlp_session()) return;  // it forked: the begin event is in the parent's trace
  rlt_emit(RLT_KIND_BLOCK_BEGIN + 1, object);
  rlp_object_release(object);
}

RLP_EXPORT void CFRunLoopPerformBlock(void *loop, void *mode, void *block) {
  RLP_FIND_REAL(CFRunLoopPerformBlock);
  rlp_block made;
  if (loop != NULL && mode != NULL && block != NULL && rlp_records_callouts()
      && rlp_wrap_block(&made, block, RLT_WORK_LOOP_BLOCK, invoke_in_loop)) {
    made.name = rlp_block_name(RLT_WORK_LOOP_BLOCK, block, RLP_CALLER());
    made.session = rlp_session();
    made.object = queue_in_loop(made.name, rlp_loop(loop), mode);
    block = &made;
  }
  real(loop, mode, block);
}
