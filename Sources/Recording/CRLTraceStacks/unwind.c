#define _GNU_SOURCE
#include "rltrace_unwind.h"

#include <string.h>

#include "frame_tables.h"

// Steps to the caller by the frame pointer. It points to the caller's frame pointer, which is followed by the return
// address.
static int step_by_frame_pointer(rlt_registers *registers, const rlt_stack_bytes *stack) {
  uint64_t outer, caller;
  if (!rlt_is_known(registers, RLT_REGISTER_FP)) return 0;
  uint64_t frame = registers->values[RLT_REGISTER_FP];
  if (frame % 8 != 0 || frame < registers->values[RLT_REGISTER_SP]) return 0;
  if (!rlt_read_stack(stack, frame, &outer) || !rlt_read_stack(stack, frame + 8, &caller)) return 0;
  registers->known = 0;
  rlt_set_register(registers, RLT_REGISTER_FP, outer);
  rlt_set_register(registers, RLT_REGISTER_SP, frame + 16);
  rlt_set_register(registers, RLT_REGISTER_PC, caller);
  return 1;
}

#if defined(RLT_HAS_FRAME_TABLES)

#include "context_registers.h"
#include "rltrace_platform.h"

// MARK: Frame pointers that were not saved

// Returns the target of the linker stub at `address`, 0 if there is no stub. The kernel reads the memory, because an
// image may have holes, and a value that looks like an address may not be one.
static uint64_t stub_target(uint64_t address) {
  uint8_t code[16];
  if (!rlt_read_memory(address, code, sizeof code)) return 0;
  // Skips endbr64 and bnd.
  size_t at = code[0] == 0xF3 && code[1] == 0x0F && code[2] == 0x1E ? 4 : 0;
  if (code[at] == 0xF2) at += 1;
  if (code[at] != 0xFF || code[at + 1] != 0x25) return 0;
  int32_t distance;
  memcpy(&distance, code + at + 2, sizeof distance);
  uint64_t target, slot = address + at + 6 + (uint64_t)(int64_t)distance;
  return rlt_read_memory(slot, &target, sizeof target) ? target : 0;
}

enum { JUMPING_FUNCTION_BYTES = 4096 };

// Returns whether the function at `start` has a jump to `function`, as compilers write it for a call at the end.
static int jumps_to(uint64_t start, uint64_t function) {
  rlt_function own;
  if (!rlt_find_function(start, &own) || own.start != start || own.end - start > JUMPING_FUNCTION_BYTES) return 0;
  for (uint64_t at = start; at + 2 <= own.end; at++) {
    const uint8_t *code = (const uint8_t *)(uintptr_t)at;
    uint64_t target = 0;
    if (code[0] == 0xFF && code[1] == 0x25) {
      target = stub_target(at);
    } else if (code[0] == 0xEB) {
      target = at + 2 + (uint64_t)(int64_t)(int8_t)code[1];
    } else if (at + 5 <= own.end && (code[0] == 0xE9 || (at > start && code[-1] == 0x0F && (code[0] & 0xF0) == 0x80))) {
      // jmp, or a conditional jump behind its first byte.
      int32_t distance;
      memcpy(&distance, code + 1, sizeof distance);
      target = at + 5 + (uint64_t)(int64_t)distance;
    }
    if (target == 0 || (target > start && target < own.end)) continue;
    if (target == function || stub_target(target) == function) return 1;
  }
  return 0;
}

typedef enum { CALLS_OTHER, MAY_CALL, CALLS } call_kind;

// Returns whether the call before `return_address` calls `function`.
static call_kind calls(uint64_t return_address, uint64_t function) {
  struct dl_find_object object;
  if (_dl_find_object((void *)(uintptr_t)return_address, &object) != 0) return CALLS_OTHER;
  const uint8_t *behind = (const uint8_t *)(uintptr_t)return_address;
  rlt_function caller;
  if (behind - (const uint8_t *)object.dlfo_map_start < 8 || !rlt_find_function(return_address - 1, &caller))
    return CALLS_OTHER;
  int32_t distance;
  memcpy(&distance, behind - sizeof distance, sizeof distance);
  uint64_t target = return_address + (uint64_t)(int64_t)distance;
  if (behind[-5] == 0xE8) {
    if (target == function) return CALLS;
    uint64_t through = stub_target(target);
    // If the call goes to another function that does not jump on, the return address is left over from an older call.
    return through == function || jumps_to(through != 0 ? through : target, function) ? CALLS : CALLS_OTHER;
  }
  // call *disp32(%rip): the address of the called function is in a table of the linker.
  if (behind[-6] == 0xFF && behind[-5] == 0x15) {
    uint64_t called;
    if (!rlt_read_memory(target, &called, sizeof called)) return CALLS_OTHER;
    return called == function || jumps_to(called, function) ? CALLS : CALLS_OTHER;
  }
  // call *%reg, call *8(%reg), call *disp32(%reg), and the forms with an index.
  for (int bytes = 2; bytes <= 7; bytes++)
    if (behind[-bytes] == 0xFF && (behind[-bytes + 1] & 0x38) == 0x10) return MAY_CALL;
  return CALLS_OTHER;
}

// MARK: A function that has no table

enum { UNLISTED_FRAME_BYTES = 512, UNLISTED_FUNCTION_BYTES = 4096, JUMPS = 3 };

// Returns the function that a call finally reaches through linker stubs and functions that only jump. 0 = not known.
static uint64_t final_target(uint64_t return_address) {
  uint8_t call[5], jump[5];
  int32_t distance;
  if (!rlt_read_memory(return_address - sizeof call, call, sizeof call) || call[0] != 0xE8) return 0;
  memcpy(&distance, call + 1, sizeof distance);
  uint64_t target = return_address + (uint64_t)(int64_t)distance;
  for (int jumps = 0; jumps < JUMPS; jumps++) {
    uint64_t through = stub_target(target);
    if (through != 0) {
      target = through;
      continue;
    }
    if (!rlt_read_memory(target, jump, sizeof jump)) return 0;
    if (jump[0] != 0xE9) return target;
    memcpy(&distance, jump + 1, sizeof distance);
    target += sizeof jump + (uint64_t)(int64_t)distance;
  }
  return target;
}

// Functions that throw nothing may have no table. The nearest return address further up whose call leads to code just
// before `place` is the caller's. The caller's frame pointer is the known one, because a callee must preserve it.
static int step_without_table(rlt_registers *registers, const rlt_stack_bytes *stack, uint64_t place) {
  uint64_t first = registers->values[RLT_REGISTER_SP];
  for (uint64_t at = first; at < first + UNLISTED_FRAME_BYTES; at += 8) {
    uint64_t caller;
    rlt_function function;
    if (!rlt_read_stack(stack, at, &caller)) break;
    if (caller < 4096 || !rlt_find_function(caller - 1, &function)) continue;
    uint64_t target = final_target(caller);
    if (target == 0 || target > place || place - target >= UNLISTED_FUNCTION_BYTES) continue;
    uint64_t pointer = registers->values[RLT_REGISTER_FP];
    int is_known = rlt_is_known(registers, RLT_REGISTER_FP);
    // The function has a frame of its own: the caller's pointer is in it.
    if (is_known && pointer == at - 8) is_known = rlt_read_stack(stack, pointer, &pointer);
    registers->known = 0;
    if (is_known) rlt_set_register(registers, RLT_REGISTER_FP, pointer);
    rlt_set_register(registers, RLT_REGISTER_SP, at + 8);
    rlt_set_register(registers, RLT_REGISTER_PC, caller);
    return 1;
  }
  return 0;
}

enum { SEARCHED_BYTES = 64 << 10, PROLOGUE_BYTES = 64, ALIGNMENT = 16 };

// Returns the number of bytes that a function takes below the saved frame pointer. It saves registers there, and its
// beginning subtracts a constant from the stack pointer, which is aligned at each call. Later it may take more.
static uint64_t frame_bytes(const rlt_function *function, const rlt_place_rules *rules) {
  int64_t deepest = -16;  // from the frame's address: the return address and the frame pointer
  for (unsigned number = 0; number < RLT_REGISTERS; number++) {
    const rlt_rule *saved = &rules->registers[number];
    if (saved->kind == AT_OFFSET && saved->number < deepest) deepest = saved->number;
  }
  uint64_t bytes = (uint64_t)(-16 - deepest), count = function->end - function->start;
  uint8_t code[PROLOGUE_BYTES];
  if (count > sizeof code) count = sizeof code;
  if (!rlt_read_memory(function->start, code, count)) count = 0;
  for (size_t at = 0; at + 7 <= count; at++) {
    uint32_t constant = code[at + 3];
    if (code[at] != 0x48) continue;
    if (code[at + 1] == 0x83 && code[at + 2] == 0xEC && constant < 0x80) {  // sub $8,%rsp
      bytes += constant;
    } else if (code[at + 1] == 0x83 && code[at + 2] == 0xC4 && constant == 0x80) {  // add $-128,%rsp
      bytes += constant;
    } else if (code[at + 1] == 0x81 && code[at + 2] == 0xEC) {  // sub $1024,%rsp
      memcpy(&constant, code + at + 3, sizeof constant);
      bytes += constant;
    } else {
      continue;
    }
    break;
  }
  return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

// Finds the frame pointer of a function whose part of the stack begins at the stack pointer. It points to a place with
// an outer frame pointer, which optimized callers use for other values, followed by the return address of a call to the
// function. Such a call shows its target, or the return address is exactly where the function's beginning put it.
static int find_frame_pointer(
    const rlt_registers *registers, const rlt_stack_bytes *stack, const rlt_function *function,
    const rlt_place_rules *rules, uint64_t *found) {
  uint64_t caller, first = registers->values[RLT_REGISTER_SP] + frame_bytes(function, rules);
  for (uint64_t at = first; at < first + SEARCHED_BYTES && rlt_read_stack(stack, at + 8, &caller); at += 8) {
    call_kind kind = calls(caller, function->start);
    if (kind == CALLS_OTHER || (kind == MAY_CALL && at != first)) continue;
    *found = at;
    return 1;
  }
  return 0;
}

// MARK: Steps

static int frame_address(
    const rlt_place_rules *rules, rlt_registers *registers, const rlt_stack_bytes *stack, const rlt_function *function,
    uint64_t *frame) {
  if (rules->frame.kind == IS_EXPRESSION) return rlt_evaluate(rules->frame.expression, registers, stack, 0, frame);
  unsigned number = (unsigned)rules->frame.number;
  if (rules->frame.kind != IN_REGISTER || number >= RLT_REGISTERS) return 0;
  if (!rlt_is_known(registers, number)) {
    uint64_t pointer;
    if (number != RLT_REGISTER_FP || !find_frame_pointer(registers, stack, function, rules, &pointer)) return 0;
    rlt_set_register(registers, number, pointer);
  }
  *frame = registers->values[number] + (uint64_t)rules->offset;
  return 1;
}

static void restore(
    const rlt_rule *from, unsigned number, uint64_t frame, const rlt_registers *inner, const rlt_stack_bytes *stack,
    rlt_registers *outer) {
  uint64_t value = 0;
  int is_known = 0;
  switch (from->kind) {
    case SAME: value = inner->values[number]; is_known = rlt_is_known(inner, number); break;
    case UNDEFINED: break;
    case AT_OFFSET: is_known = rlt_read_stack(stack, frame + (uint64_t)from->number, &value); break;
    case IS_OFFSET: value = frame + (uint64_t)from->number; is_known = 1; break;
    case IN_REGISTER:
      if (from->number < 0 || from->number >= RLT_REGISTERS) break;
      value = inner->values[from->number];
      is_known = rlt_is_known(inner, (unsigned)from->number);
      break;
    case AT_EXPRESSION:
      is_known = rlt_evaluate(from->expression, inner, stack, frame, &value) && rlt_read_stack(stack, value, &value);
      break;
    case IS_EXPRESSION: is_known = rlt_evaluate(from->expression, inner, stack, frame, &value); break;
  }
  if (is_known) rlt_set_register(outer, number, value);
}

// Steps to the interrupted code of a signal. The kernel saved its registers on the stack, in the frame of the
// handler's caller.
static int step_out_of_signal(rlt_registers *registers, const rlt_stack_bytes *stack) {
  uint64_t saved = registers->values[RLT_REGISTER_SP] + offsetof(ucontext_t, uc_mcontext.gregs);
  rlt_registers outer = {.known = 0};
  for (unsigned number = 0; number < RLT_REGISTERS; number++) {
    uint64_t value;
    if (!rlt_read_stack(stack, saved + (uint64_t)rlt_context_order[number] * 8, &value)) return 0;
    rlt_set_register(&outer, number, value);
  }
  *registers = outer;
  return 1;
}

// Steps from a frame to its caller's. `is_exact`: the program counter is the current instruction, not a return
// address. Sets the start of the frame's function. Returns 0 if the caller is not found.
static int step(rlt_registers *registers, const rlt_stack_bytes *stack, int *is_exact, uint64_t *function_start) {
  uint64_t place = registers->values[RLT_REGISTER_PC] - (*is_exact ? 0 : 1);
  rlt_function function;
  *function_start = 0;
  *is_exact = 0;
  if (!rlt_find_function(place, &function))
    return step_without_table(registers, stack, place) || step_by_frame_pointer(registers, stack);
  *function_start = function.start;
  if (function.is_signal_frame) {
    *is_exact = 1;
    return step_out_of_signal(registers, stack);
  }
  rlt_place_rules rules;
  uint64_t frame;
  if (!rlt_read_rules(&function, place, &rules) || function.return_register >= RLT_REGISTERS) return 0;
  if (!frame_address(&rules, registers, stack, &function, &frame)) return 0;
  if (frame <= registers->values[RLT_REGISTER_SP]) return 0;
  rlt_registers outer = {.known = 0};
  for (unsigned number = 0; number < RLT_REGISTERS; number++)
    restore(&rules.registers[number], number, frame, registers, stack, &outer);
  rlt_set_register(&outer, RLT_REGISTER_SP, frame);
  if (function.return_register != RLT_REGISTER_PC || !rlt_is_known(&outer, RLT_REGISTER_PC)) return 0;
  // The outermost function has no caller.
  if (rules.registers[RLT_REGISTER_PC].kind != AT_OFFSET) return 0;
  *registers = outer;
  return 1;
}

#else

// The platform's calling convention requires a frame pointer in every frame.
static int step(rlt_registers *registers, const rlt_stack_bytes *stack, int *is_exact, uint64_t *function_start) {
  *is_exact = 0;
  *function_start = 0;
  return step_by_frame_pointer(registers, stack);
}

#endif

size_t rlt_unwind(
    const rlt_registers *registers, const rlt_stack_bytes *stack, uintptr_t hidden, uint64_t *frames, size_t most) {
  rlt_registers now = *registers;
  size_t count = 0;
  int is_exact = 1;
  while (count < most) {
    uint64_t place = now.values[RLT_REGISTER_PC], function;
    if (place < 4096) break;
    int was_exact = is_exact;
    int goes_on = step(&now, stack, &is_exact, &function);
    // The kernel's trampoline that returns from a signal was not called, so it is omitted.
    if (was_exact || !is_exact) frames[count++] = place;
    if (hidden != 0 && function == hidden) count = 0;
    if (!goes_on) break;
  }
  return count;
}
