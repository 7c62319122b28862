// The main dispatch queue, which the main loop serves: drains, and the blocks themselves.
#include "blocks.h"
#include "code.h"
#include "images.h"
#include "loops.h"
#include "names.h"
#include "objects.h"
#include "recording.h"

static uint32_t main_loop_object(void) {
  void *(*get)(void) = RLP_REAL(void *(*)(void), CFRunLoopGetMain);
  return get == NULL ? 0 : rlp_loop(get());
}

RLP_EXPORT void _dispatch_main_queue_callback_4CF(void *message) {
  void (*real)(void *) = RLP_REAL(void (*)(void *), _dispatch_main_queue_callback_4CF);
  if (real == NULL) return;
  if (!rlp_records_callouts()) {
    real(message);
    return;
  }
  uint32_t loop = main_loop_object();
  rlt_emit(RLT_KIND_MAIN_QUEUE_DRAIN_BEGIN, loop);
  real(message);
  rlt_emit(RLT_KIND_MAIN_QUEUE_DRAIN_BEGIN + 1, loop);
}

// Only where a run loop is in use already: most programs with a main queue have none.
static int is_traced_queue(const void *queue) {
  static void *slot;
  return queue != NULL && __atomic_load_n(&rlp_recording_state, __ATOMIC_ACQUIRE) == RLP_RECORDING
         && queue == rlp_real("_dispatch_main_q", &slot) && rlp_records_callouts();
}

// dispatch_block_create keeps data of its own in a block and finds it by the block's function: such are left alone.
static void *wrapped(rlp_block *made, void *block, uint64_t due_ns) {
  if (rlp_kind_of((uintptr_t)((rlp_block *)block)->invoke) == RLP_SYSTEM_CODE) {
    static void *slot;
    void *create = rlp_real("dispatch_block_create", &slot);
    Dl_info of_block, of_create;
    if (create != NULL && dladdr((void *)((rlp_block *)block)->invoke, &of_block) != 0 && dladdr(create, &of_create) != 0
        && of_block.dli_fbase == of_create.dli_fbase)
      return block;
  }
  return rlp_wrap_block(made, block, RLT_KIND_MAIN_QUEUE_BLOCK_BEGIN, main_loop_object(), due_ns);
}

RLP_EXPORT void dispatch_async(void *queue, void *block) {
  void (*real)(void *, void *) = RLP_REAL(void (*)(void *, void *), dispatch_async);
  if (real == NULL) return;
  rlp_block made;
  real(queue, block != NULL && is_traced_queue(queue) ? wrapped(&made, block, 0) : block);
}

// A dispatch_time_t on CLOCK_MONOTONIC; 0 = now, or not to be told. Times of one clock are a line, the wall clock's a falling
// one below zero; where the lines lie is asked of the library.
static uint64_t monotonic_ns(uint64_t when) {
  uint64_t (*time)(uint64_t, int64_t) = RLP_REAL(uint64_t (*)(uint64_t, int64_t), dispatch_time);
  uint64_t (*wall_time)(const struct timespec *, int64_t) =
      RLP_REAL(uint64_t (*)(const struct timespec *, int64_t), dispatch_walltime);
  if (time == NULL || wall_time == NULL) return 0;
  enum { CLOCK_BITS = 62 };
  uint64_t now = time(0, 0), wall_now = wall_time(NULL, 0);
  int64_t delay = when >> CLOCK_BITS == now >> CLOCK_BITS             ? (int64_t)(when - now)
                  : when >> CLOCK_BITS == wall_now >> CLOCK_BITS ? (int64_t)(wall_now - when)
                                                                      : 0;
  return delay <= 0 ? 0 : rlt_monotonic_ns() + (uint64_t)delay;
}

RLP_EXPORT void dispatch_after(uint64_t when, void *queue, void *block) {
  void (*real)(uint64_t, void *, void *) = RLP_REAL(void (*)(uint64_t, void *, void *), dispatch_after);
  if (real == NULL) return;
  rlp_block made;
  real(when, queue, block != NULL && is_traced_queue(queue) ? wrapped(&made, block, monotonic_ns(when)) : block);
}

typedef struct {
  void *context;
  rlp_perform function;
  uint32_t object;
} queued_function;

static void run_function(void *memory) {
  queued_function queued = *(queued_function *)memory;
  free(memory);
  rlt_emit(RLT_KIND_MAIN_QUEUE_BLOCK_BEGIN, queued.object);
  queued.function(queued.context);
  rlt_emit(RLT_KIND_MAIN_QUEUE_BLOCK_BEGIN + 1, queued.object);
  rlp_object_release(queued.object);
}

RLP_EXPORT void dispatch_async_f(void *queue, void *context, rlp_perform function) {
  void (*real)(void *, void *, rlp_perform) = RLP_REAL(void (*)(void *, void *, rlp_perform), dispatch_async_f);
  if (real == NULL) return;
  queued_function *queued = function != NULL && is_traced_queue(queue) ? malloc(sizeof *queued) : NULL;
  if (queued == NULL) {
    real(queue, context, function);
    return;
  }
  *queued = (queued_function){context, function, rlp_object_make()};
  RLP_EMIT(
      RLT_KIND_BLOCK_CREATE, rlt_thread.mode, queued->object, rlp_callout_name((uintptr_t)function, NULL),
      main_loop_object());
  real(queue, queued, run_function);
}
