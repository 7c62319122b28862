#include "loop_state.h"

RLT_TLS rlp_event_loop rlp_own_loop = {.descriptor = -1};

uint8_t rlp_event_loop_mode(void) { return rlt_mode_id(rlp_ids, RLT_EVENT_LOOP_MODE); }

void rlp_fire(uint32_t timer, uint64_t due_ns) {
  rlt_emit_timer_begin(RLT_KIND_TIMER_DUE, RLT_KIND_TIMER_BEGIN, timer, due_ns);
  rlt_emit(RLT_KIND_TIMER_BEGIN + 1, timer);
}
