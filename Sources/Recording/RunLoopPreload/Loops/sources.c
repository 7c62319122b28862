#include "code.h"
#include "loops.h"
#include "names.h"
#include "objects.h"
#include "recording.h"
#include "stubs.h"
#include "symbols.h"

// A perform callout gets its context, not its source, so a source is identified by callout and context. To
// CoreFoundation, two sources that share both are equal unless their orders differ.
static rlp_pool pools[2];

static void source_callout(unsigned version, unsigned number, void *info) {
  RLP_KEEP_FRAME();
  rlp_perform perform = (rlp_perform)rlp_pool_callout(&pools[version], number);
  if (!rlp_is_recording()) {
    perform(info);
    return;
  }
  const rlp_entry *entry = rlp_find(rlp_pair_key(version << 16 | number, info));
  uint32_t object = entry != NULL && entry->session == rlp_session() ? entry->object : 0;
  uint8_t begin = version == 0 ? RLT_KIND_SOURCE0_BEGIN : RLT_KIND_SOURCE1_BEGIN;
  uint32_t session = rlp_session();
  rlt_emit(begin, object);
  perform(info);
  // After a fork, the begin event is in the parent's trace.
  if (session == rlp_session()) rlt_emit((uint8_t)(begin + 1), object);
}

#define STUB0(n) \
  static void source0_stub_##n(void *info) { source_callout(0, n, info); }
#define STUB1(n) \
  static void source1_stub_##n(void *info) { source_callout(1, n, info); }
#define PLACE0(n) stubs[0][n] = source0_stub_##n;
#define PLACE1(n) stubs[1][n] = source1_stub_##n;
RLP_512(STUB0)
RLP_512(STUB1)
static rlp_perform stubs[2][RLP_STUBS];
static pthread_once_t stubs_once = PTHREAD_ONCE_INIT;
static void place_stubs(void) { RLP_512(PLACE0) RLP_512(PLACE1) }

static void **perform_of(rlp_source_context *context) {
  return context->version == 0 ? &context->perform : &context->cancel;
}

static size_t context_bytes(const rlp_source_context *context) {
  return context->version == 0 ? sizeof *context : sizeof *context - sizeof context->perform;
}

RLP_EXPORT void *CFRunLoopSourceCreate(void *allocator, rlp_index order, rlp_source_context *context) {
  RLP_FIND_REAL(CFRunLoopSourceCreate, NULL);
  if (context == NULL || context->version < 0 || context->version > 1 || *perform_of(context) == NULL
      || !rlp_records_callouts())
    return real(allocator, order, context);
  unsigned version = (unsigned)context->version;
  void *perform = *perform_of(context);
  pthread_once(&stubs_once, place_stubs);
  int number = rlp_pool_number(&pools[version], perform);
  // Do not record a source whose callouts are not seen: it would look as if it were never served.
  if (number < 0) return real(allocator, order, context);
  rlp_source_context replaced;
  memcpy(&replaced, context, context_bytes(context));
  *perform_of(&replaced) = (void *)stubs[version][number];
  void *source = real(allocator, order, &replaced);
  rlp_entry *entry = source == NULL ? NULL : rlp_place(rlp_key(source));
  if (entry == NULL) return source;
  uint32_t object = entry->object;
  // The callout gets the context that `retain` returned.
  __auto_type get_context = RLP_REAL(void (*)(void *, rlp_source_context *), CFRunLoopSourceGetContext);
  if (get_context != NULL) get_context(source, &replaced);
  rlp_place_alias(rlp_pair_key(version << 16 | (unsigned)number, replaced.info), object);
  rlp_caller caller = RLP_CALLER();
  uint32_t name = rlp_callout_name(RLT_WORK_SOURCE, (uintptr_t)perform, context->info, caller);
  RLP_EMIT(
      RLT_KIND_SOURCE_CREATE, rlt_thread.mode, object, name, version, (uint64_t)(int64_t)order, rlp_site(caller));
  rlt_loop_item item = {
      .kind = version == 0 ? RLT_ITEM_SOURCE0 : RLT_ITEM_SOURCE1, .name = name, .order = order,
      .address = rlp_key(source)};
  rlt_topology_item(object, &item);
  return source;
}

// Gives the program its own callout back.
RLP_EXPORT void CFRunLoopSourceGetContext(void *source, rlp_source_context *context) {
  RLP_FIND_REAL(CFRunLoopSourceGetContext);
  real(source, context);
  if (context == NULL || context->version < 0 || context->version > 1) return;
  void **perform = perform_of(context);
  for (unsigned number = 0; number < RLP_STUBS; number++) {
    if (rlp_pool_callout(&pools[context->version], number) == NULL) return;
    if (*perform != (void *)stubs[context->version][number]) continue;
    *perform = rlp_pool_callout(&pools[context->version], number);
    return;
  }
}

RLP_EXPORT void CFRunLoopAddSource(void *loop, void *source, void *mode) {
  RLP_FIND_REAL(CFRunLoopAddSource);
  rlp_note_added(RLT_KIND_SOURCE_ADD, loop, source, mode);
  real(loop, source, mode);
}

RLP_EXPORT void CFRunLoopRemoveSource(void *loop, void *source, void *mode) {
  RLP_FIND_REAL(CFRunLoopRemoveSource);
  real(loop, source, mode);
  rlp_note_removed(RLT_KIND_SOURCE_REMOVE, loop, source, mode);
}

RLP_EXPORT void CFRunLoopSourceSignal(void *source) {
  RLP_FIND_REAL(CFRunLoopSourceSignal);
  uint32_t object = rlp_known_object(source);
  if (object != 0) rlt_emit(RLT_KIND_SOURCE_SIGNAL, object);
  real(source);
}

RLP_EXPORT void CFRunLoopSourceInvalidate(void *source) {
  RLP_FIND_REAL(CFRunLoopSourceInvalidate);
  rlp_note_invalidated(source, RLT_KIND_SOURCE_INVALIDATE);
  real(source);
}
