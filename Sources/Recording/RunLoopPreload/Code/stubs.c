#include "stubs.h"

#include "names.h"

int rlp_pool_number(rlp_pool *pool, void *callout) {
  for (int number = 0; number < RLP_STUBS; number++) {
    void *found = __atomic_load_n(&pool->callouts[number], __ATOMIC_ACQUIRE);
    if (found == callout) return number;
    if (found != NULL) continue;
    if (__atomic_compare_exchange_n(
            &pool->callouts[number], &found, callout, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)
        || found == callout)
      return number;
  }
  if (__atomic_fetch_add(&rlt_current_spool()->unwrapped, 1, __ATOMIC_RELAXED) == 0)
    rlp_info("unwrapped_callouts", "over 512 different callouts; those of later timers or sources are not shown");
  return -1;
}
