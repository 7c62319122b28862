#include "blocks.h"

#include "loops.h"
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

static void dispose(const void *block) {
  __auto_type real = RLP_REAL(void (*)(const void *), _Block_release);
  real(((const rlp_block *)block)->original);
  rlp_object_release(((const rlp_block *)block)->object);
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

static void invoke_in_loop(rlp_block *block) {
  rlt_emit(RLT_KIND_BLOCK_BEGIN, block->object);
  block->original->invoke(block->original);
  rlt_emit(RLT_KIND_BLOCK_BEGIN + 1, block->object);
}

RLP_EXPORT void CFRunLoopPerformBlock(void *loop, void *mode, void *block) {
  RLP_FIND_REAL(CFRunLoopPerformBlock);
  rlp_block made;
  if (loop != NULL && mode != NULL && block != NULL && rlp_records_callouts()
      && rlp_wrap_block(&made, block, RLT_WORK_LOOP_BLOCK, invoke_in_loop)) {
    made.name = rlp_block_name(RLT_WORK_LOOP_BLOCK, block, RLP_CALLER());
    made.object = rlp_queue_object(made.name, rlp_loop(loop), 0);
    block = &made;
  }
  real(loop, mode, block);
}
