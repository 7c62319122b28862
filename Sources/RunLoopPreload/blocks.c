#include "blocks.h"

#include "code.h"
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

static void invoke(rlp_block *block) {
  rlt_emit(block->begin_kind, block->object);
  block->original->invoke(block->original);
  rlt_emit((uint8_t)(block->begin_kind + 1), block->object);
}

static void copy(void *target, const void *source) {
  void *(*real)(const void *) = RLP_REAL(void *(*)(const void *), _Block_copy);
  ((rlp_block *)target)->original = real(((const rlp_block *)source)->original);
}

static void dispose(const void *block) {
  void (*real)(const void *) = RLP_REAL(void (*)(const void *), _Block_release);
  real(((const rlp_block *)block)->original);
  rlp_object_release(((const rlp_block *)block)->object);
}

static const block_descriptor descriptor = {0, sizeof(rlp_block), copy, dispose};

void *rlp_wrap_block(rlp_block *made, void *original, uint8_t begin_kind, uint32_t loop, uint64_t due_ns) {
  static void *isa;
  void *stack_block = rlp_real("_NSConcreteStackBlock", &isa);
  if (stack_block == NULL || RLP_REAL(void *, _Block_copy) == NULL || RLP_REAL(void *, _Block_release) == NULL)
    return original;
  *made = (rlp_block){stack_block, HAS_COPY_DISPOSE, 0, invoke, &descriptor, original, rlp_object_make(), begin_kind};
  uint32_t name = rlp_block_name(original);
  if (due_ns == 0) RLP_EMIT(RLT_KIND_BLOCK_CREATE, rlt_thread.mode, made->object, name, loop);
  else RLP_EMIT(RLT_KIND_BLOCK_CREATE, rlt_thread.mode, made->object, name, loop, due_ns);
  return made;
}

RLP_EXPORT void CFRunLoopPerformBlock(void *loop, void *mode, void *block) {
  void (*real)(void *, void *, void *) = RLP_REAL(void (*)(void *, void *, void *), CFRunLoopPerformBlock);
  if (real == NULL) return;
  rlp_block made;
  if (loop != NULL && mode != NULL && block != NULL && rlp_records_callouts())
    block = rlp_wrap_block(&made, block, RLT_KIND_BLOCK_BEGIN, rlp_loop(loop), 0);
  real(loop, mode, block);
}
