// Observers of the program and their modes. Their callouts are not bracketed. The total time of all observers of an
// activity is known, and a program has few.
#include "code.h"
#include "loops.h"
#include "names.h"
#include "objects.h"
#include "recording.h"
#include "symbols.h"

// The lowest and the highest order belong to the recorder's observers. Those of the program with these orders run
// directly after the first one, and directly before the last one.
static rlp_index inner_order(rlp_index order) {
  return order == LONG_MIN ? LONG_MIN + 1 : order == LONG_MAX ? LONG_MAX - 1 : order;
}

typedef void (*observer_callout)(void *observer, unsigned long activity, void *info);

// CFRunLoopObserverCreateWithHandler calls this function.
RLP_EXPORT void *CFRunLoopObserverCreate(void *allocator, unsigned long activities, rlp_boolean repeats,
                                         rlp_index order, observer_callout callout, rlp_context *context) {
  RLP_FIND_REAL(CFRunLoopObserverCreate, NULL);
  void *observer = real(allocator, activities, repeats, inner_order(order), callout, context);
  if (observer == NULL || !rlp_records_callouts()) return observer;
  const rlp_entry *entry = rlp_place(rlp_key(observer));
  if (entry == NULL) return observer;
  rlt_loop_item item = {
      .kind = RLT_ITEM_OBSERVER, .repeats = repeats != 0, .order = order, .address = rlp_key(observer),
      .name = rlp_callout_name(
          RLT_WORK_OBSERVER, (uintptr_t)callout, context == NULL ? NULL : context->info, RLP_CALLER()),
      .activities = activities};
  rlt_topology_item(entry->object, &item);
  return observer;
}

// Returns the order that the program gave.
RLP_EXPORT rlp_index CFRunLoopObserverGetOrder(void *observer) {
  RLP_FIND_REAL(CFRunLoopObserverGetOrder, 0);
  rlp_index order = real(observer);
  return order == LONG_MIN + 1 ? LONG_MIN : order == LONG_MAX - 1 ? LONG_MAX : order;
}

RLP_EXPORT void CFRunLoopAddObserver(void *loop, void *observer, void *mode) {
  RLP_FIND_REAL(CFRunLoopAddObserver);
  rlp_note_added(0, loop, observer, mode);
  rlp_note_other_observer(loop);
  real(loop, observer, mode);
}

RLP_EXPORT void CFRunLoopRemoveObserver(void *loop, void *observer, void *mode) {
  RLP_FIND_REAL(CFRunLoopRemoveObserver);
  real(loop, observer, mode);
  rlp_note_removed(0, loop, observer, mode);
}

// Every observer is invalidated here, as timers are in CFRunLoopTimerInvalidate.
RLP_EXPORT void CFRunLoopObserverInvalidate(void *observer) {
  RLP_FIND_REAL(CFRunLoopObserverInvalidate);
  rlp_note_invalidated(observer, 0);
  real(observer);
}
