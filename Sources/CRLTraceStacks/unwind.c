#define _GNU_SOURCE
#include "rltrace_unwind.h"

#include <string.h>

#if defined(__linux__)
#include <dlfcn.h>
#include <link.h>
#include <ucontext.h>
#endif

static int read_stack(const rlt_stack_bytes *stack, uint64_t address, uint64_t *value) {
  if (address < stack->start || address - stack->start > stack->count || stack->count - (address - stack->start) < 8)
    return 0;
  memcpy(value, stack->bytes + (address - stack->start), 8);
  return 1;
}

// A frame pointer points to the caller's, which lies further up, and the return address is behind it.
static int step_by_frame_pointer(rlt_registers *registers, const rlt_stack_bytes *stack) {
  uint64_t outer, caller;
  if (!rlt_is_known(registers, RLT_REGISTER_FP)) return 0;
  uint64_t frame = registers->values[RLT_REGISTER_FP];
  if (frame % 8 != 0 || frame < registers->values[RLT_REGISTER_SP]) return 0;
  if (!read_stack(stack, frame, &outer) || !read_stack(stack, frame + 8, &caller)) return 0;
  registers->known = 0;
  rlt_set_register(registers, RLT_REGISTER_FP, outer);
  rlt_set_register(registers, RLT_REGISTER_SP, frame + 16);
  rlt_set_register(registers, RLT_REGISTER_PC, caller);
  return 1;
}

#if defined(__x86_64__) && defined(DLFO_STRUCT_HAS_EH_DBASE)

// MARK: Reading tables

// Of an image: what its code's tables may refer to.
typedef struct {
  const uint8_t *at, *end;
} reader;

// glibc 2.35 and later. It takes no lock, where dl_iterate_phdr(3) takes the loader's.
extern int _dl_find_object(void *address, struct dl_find_object *found) __attribute__((weak, visibility("default")));

static uint64_t take_number(reader *from, size_t bytes) {
  uint64_t value = 0;
  if ((size_t)(from->end - from->at) < bytes) {
    from->at = from->end;
    return 0;
  }
  memcpy(&value, from->at, bytes);
  from->at += bytes;
  return value;
}

static uint64_t take_uleb(reader *from) {
  uint64_t value = 0;
  for (unsigned shift = 0; from->at < from->end; shift += 7) {
    uint8_t byte = *from->at++;
    if (shift < 64) value |= (uint64_t)(byte & 0x7F) << shift;
    if ((byte & 0x80) == 0) break;
  }
  return value;
}

static int64_t take_sleb(reader *from) {
  uint64_t value = 0;
  unsigned shift = 0;
  uint8_t byte = 0;
  while (from->at < from->end) {
    byte = *from->at++;
    if (shift < 64) value |= (uint64_t)(byte & 0x7F) << shift;
    shift += 7;
    if ((byte & 0x80) == 0) break;
  }
  if (shift < 64 && (byte & 0x40) != 0) value |= ~(uint64_t)0 << shift;
  return (int64_t)value;
}

enum { OMITTED = 0xFF };

static uint64_t take_encoded(reader *from, uint8_t encoding) {
  uint64_t here = (uint64_t)(uintptr_t)from->at, value;
  if (encoding == OMITTED) return 0;
  switch (encoding & 0x0F) {
    case 0x00: case 0x04: case 0x0C: value = take_number(from, 8); break;
    case 0x01: value = take_uleb(from); break;
    case 0x02: value = take_number(from, 2); break;
    case 0x03: value = take_number(from, 4); break;
    case 0x09: value = (uint64_t)take_sleb(from); break;
    case 0x0A: value = (uint64_t)(int16_t)take_number(from, 2); break;
    case 0x0B: value = (uint64_t)(int32_t)take_number(from, 4); break;
    default: from->at = from->end; return 0;
  }
  return (encoding & 0x70) == 0x10 ? value + here : value;
}

// A function's entry, and what it shares with others.
typedef struct {
  uint64_t start, end;
  reader common, own;  // instructions
  uint64_t code_step;
  int64_t data_step;
  unsigned return_register;
  int is_signal_frame;
} function_entry;

static int read_common(const uint8_t *entry, const uint8_t *limit, function_entry *found, uint8_t *encoding, int *has_data) {
  reader from = {entry, limit};
  uint32_t length = (uint32_t)take_number(&from, 4);
  if (length == 0 || length == 0xFFFFFFFF || length > (size_t)(limit - from.at)) return 0;
  from.end = from.at + length;
  if (take_number(&from, 4) != 0) return 0;
  uint8_t version = (uint8_t)take_number(&from, 1);
  const char *augmentation = (const char *)from.at;
  const uint8_t *terminator = memchr(from.at, 0, (size_t)(from.end - from.at));
  if (terminator == NULL) return 0;
  from.at = terminator + 1;
  found->code_step = take_uleb(&from);
  found->data_step = take_sleb(&from);
  found->return_register = (unsigned)(version == 1 ? take_number(&from, 1) : take_uleb(&from));
  *encoding = 0;
  *has_data = augmentation[0] == 'z';
  if (*has_data) {
    uint64_t bytes = take_uleb(&from);
    if (bytes > (size_t)(from.end - from.at)) return 0;
    const uint8_t *behind = from.at + bytes;
    for (const char *letter = augmentation + 1; *letter != 0; letter++) {
      if (*letter == 'R') *encoding = (uint8_t)take_number(&from, 1);
      else if (*letter == 'L') (void)take_number(&from, 1);
      else if (*letter == 'P') (void)take_encoded(&from, (uint8_t)take_number(&from, 1));
      else if (*letter == 'S') found->is_signal_frame = 1;
      else break;
    }
    from.at = behind;
  } else if (augmentation[0] != 0) {
    return 0;
  }
  found->common = from;
  return 1;
}

static int read_function(const uint8_t *entry, const uint8_t *start, const uint8_t *limit, function_entry *found) {
  reader from = {entry, limit};
  uint32_t length = (uint32_t)take_number(&from, 4);
  if (length < 4 || length == 0xFFFFFFFF || length > (size_t)(limit - from.at)) return 0;
  from.end = from.at + length;
  const uint8_t *field = from.at;
  uint64_t distance = take_number(&from, 4);
  if (distance == 0 || distance > (uint64_t)(field - start)) return 0;
  uint8_t encoding;
  int has_data;
  if (!read_common(field - distance, limit, found, &encoding, &has_data)) return 0;
  found->start = take_encoded(&from, encoding);
  found->end = found->start + take_encoded(&from, encoding & 0x0F);
  if (has_data) {
    uint64_t bytes = take_uleb(&from);
    if (bytes > (size_t)(from.end - from.at)) return 0;
    from.at += bytes;
  }
  found->own = from;
  return 1;
}

// Of the function around `address`; 0 = nobody described it.
static int find_function(uint64_t address, function_entry *found) {
  struct dl_find_object object;
  memset(found, 0, sizeof *found);
  if (_dl_find_object == NULL || _dl_find_object((void *)(uintptr_t)address, &object) != 0) return 0;
  const uint8_t *header = object.dlfo_eh_frame, *start = object.dlfo_map_start, *limit = object.dlfo_map_end;
  if (header == NULL || header < start || limit - header < 12) return 0;
  // Version 1; a sorted table of two 32-bit distances from the header per function: what all linkers write.
  if (header[0] != 1 || header[3] != 0x3B) return 0;
  reader from = {header + 4, limit};
  (void)take_encoded(&from, header[1]);
  uint64_t count = take_encoded(&from, header[2]);
  if (count == 0 || count > (size_t)(limit - from.at) / 8) return 0;
  const uint8_t *table = from.at;
  int64_t wanted = (int64_t)(address - (uint64_t)(uintptr_t)header);
  uint64_t low = 0, high = count;
  while (high - low > 1) {
    uint64_t middle = low + (high - low) / 2;
    int32_t begin;
    memcpy(&begin, table + middle * 8, sizeof begin);
    if (begin <= wanted) low = middle;
    else high = middle;
  }
  int32_t where;
  memcpy(&where, table + low * 8 + 4, sizeof where);
  const uint8_t *entry = header + where;
  if (entry < start || entry >= limit) return 0;
  return read_function(entry, start, limit, found) && address >= found->start && address < found->end;
}

// MARK: Rules of a place in a function

enum rule_kind { SAME, UNDEFINED, AT_OFFSET, IS_OFFSET, IN_REGISTER, AT_EXPRESSION, IS_EXPRESSION };

typedef struct {
  enum rule_kind kind;
  int64_t number;      // an offset from the frame's address, or a register
  reader expression;
} rule;

typedef struct {
  rule frame;          // IN_REGISTER and `offset`, or IS_EXPRESSION
  int64_t offset;
  rule registers[RLT_REGISTERS];
} place_rules;

enum { REMEMBERED_MAX = 8 };

typedef struct {
  place_rules now, first, remembered[REMEMBERED_MAX];
  unsigned depth;
  uint64_t address, wanted;
  const function_entry *function;
} rules_reader;

static void set_rule(rules_reader *state, uint64_t number, enum rule_kind kind, int64_t value) {
  if (number < RLT_REGISTERS) state->now.registers[number] = (rule){.kind = kind, .number = value};
}

static reader take_block(reader *from) {
  uint64_t bytes = take_uleb(from);
  if (bytes > (size_t)(from->end - from->at)) bytes = (uint64_t)(from->end - from->at);
  reader block = {from->at, from->at + bytes};
  from->at += bytes;
  return block;
}

// The numbers are those of DWARF's call frame instructions.
static int run_extended(rules_reader *state, uint8_t code, reader *from) {
  int64_t step = state->function->data_step;
  uint64_t number;
  switch (code) {
    case 0x00: break;
    case 0x01: state->address = take_encoded(from, 0); break;
    case 0x02: state->address += take_number(from, 1) * state->function->code_step; break;
    case 0x03: state->address += take_number(from, 2) * state->function->code_step; break;
    case 0x04: state->address += take_number(from, 4) * state->function->code_step; break;
    case 0x05: number = take_uleb(from); set_rule(state, number, AT_OFFSET, (int64_t)take_uleb(from) * step); break;
    case 0x06:
      number = take_uleb(from);
      if (number < RLT_REGISTERS) state->now.registers[number] = state->first.registers[number];
      break;
    case 0x07: set_rule(state, take_uleb(from), UNDEFINED, 0); break;
    case 0x08: set_rule(state, take_uleb(from), SAME, 0); break;
    case 0x09: number = take_uleb(from); set_rule(state, number, IN_REGISTER, (int64_t)take_uleb(from)); break;
    case 0x0A:
      if (state->depth == REMEMBERED_MAX) return 0;
      state->remembered[state->depth++] = state->now;
      break;
    case 0x0B:
      if (state->depth == 0) return 0;
      state->now = state->remembered[--state->depth];
      break;
    case 0x0C:
      state->now.frame = (rule){.kind = IN_REGISTER, .number = (int64_t)take_uleb(from)};
      state->now.offset = (int64_t)take_uleb(from);
      break;
    case 0x0D: state->now.frame = (rule){.kind = IN_REGISTER, .number = (int64_t)take_uleb(from)}; break;
    case 0x0E: state->now.offset = (int64_t)take_uleb(from); break;
    case 0x0F: state->now.frame = (rule){.kind = IS_EXPRESSION, .expression = take_block(from)}; break;
    case 0x10: case 0x16: {
      number = take_uleb(from);
      reader block = take_block(from);
      if (number < RLT_REGISTERS)
        state->now.registers[number] =
            (rule){.kind = code == 0x10 ? AT_EXPRESSION : IS_EXPRESSION, .expression = block};
      break;
    }
    case 0x11: number = take_uleb(from); set_rule(state, number, AT_OFFSET, take_sleb(from) * step); break;
    case 0x12:
      state->now.frame = (rule){.kind = IN_REGISTER, .number = (int64_t)take_uleb(from)};
      state->now.offset = take_sleb(from) * step;
      break;
    case 0x13: state->now.offset = take_sleb(from) * step; break;
    case 0x14: number = take_uleb(from); set_rule(state, number, IS_OFFSET, (int64_t)take_uleb(from) * step); break;
    case 0x15: number = take_uleb(from); set_rule(state, number, IS_OFFSET, take_sleb(from) * step); break;
    case 0x2E: (void)take_uleb(from); break;
    default: return 0;
  }
  return 1;
}

// Runs instructions up to the wanted address. 0 = one of them is not understood.
static int run_instructions(rules_reader *state, reader from) {
  while (from.at < from.end && state->address <= state->wanted) {
    uint8_t code = (uint8_t)take_number(&from, 1), low = code & 0x3F;
    switch (code >> 6) {
      case 1: state->address += low * state->function->code_step; break;
      case 2: set_rule(state, low, AT_OFFSET, (int64_t)take_uleb(&from) * state->function->data_step); break;
      case 3:
        if (low < RLT_REGISTERS) state->now.registers[low] = state->first.registers[low];
        break;
      default:
        if (!run_extended(state, code, &from)) return 0;
    }
  }
  return 1;
}

static int rules_of(const function_entry *function, uint64_t address, rules_reader *state) {
  memset(state, 0, sizeof *state);
  state->function = function;
  state->wanted = address;
  state->address = function->start;
  if (!run_instructions(state, function->common)) return 0;
  state->first = state->now;
  state->address = function->start;
  return run_instructions(state, function->own);
}

// Expressions as compilers write them for realigned stacks and stubs of the linker. 0 = not understood, or not known.
static int evaluate(reader from, const rlt_registers *registers, const rlt_stack_bytes *memory, uint64_t first, uint64_t *result) {
  uint64_t values[16] = {first};
  unsigned depth = 1;
  while (from.at < from.end) {
    uint8_t code = (uint8_t)take_number(&from, 1);
    uint64_t pushed = 0;
    int pushes = 1;
    if (code >= 0x30 && code <= 0x4F) {
      pushed = code - 0x30u;
    } else if (code >= 0x70 && code <= 0x8F) {
      unsigned number = code - 0x70u;
      if (number >= RLT_REGISTERS || !rlt_is_known(registers, number)) return 0;
      pushed = registers->values[number] + (uint64_t)take_sleb(&from);
    } else if (code >= 0x08 && code <= 0x0F) {
      size_t bytes = (size_t)1 << (code - 0x08) / 2;
      pushed = take_number(&from, bytes);
      if ((code & 1) != 0 && bytes < 8 && (pushed >> (bytes * 8 - 1)) != 0) pushed |= ~(uint64_t)0 << bytes * 8;
    } else if (code == 0x10) {
      pushed = take_uleb(&from);
    } else if (code == 0x11) {
      pushed = (uint64_t)take_sleb(&from);
    } else if (code == 0x06) {
      if (!read_stack(memory, values[depth - 1], &values[depth - 1])) return 0;
      pushes = 0;
    } else if (code == 0x23) {
      values[depth - 1] += take_uleb(&from);
      pushes = 0;
    } else {
      if (depth < 2) return 0;
      uint64_t right = values[--depth], *left = &values[depth - 1];
      pushes = 0;
      switch (code) {
        case 0x1A: *left &= right; break;
        case 0x1C: *left -= right; break;
        case 0x1E: *left *= right; break;
        case 0x21: *left |= right; break;
        case 0x22: *left += right; break;
        case 0x24: *left = right < 64 ? *left << right : 0; break;
        case 0x2A: *left = (int64_t)*left >= (int64_t)right; break;
        default: return 0;
      }
    }
    if (!pushes) continue;
    if (depth == sizeof values / sizeof *values) return 0;
    values[depth++] = pushed;
  }
  *result = values[depth - 1];
  return 1;
}

// MARK: A frame pointer that nobody saved

// Where a stub of the linker at `address` jumps to; 0 = it is none.
static uint64_t stub_target(uint64_t address) {
  struct dl_find_object object;
  if (_dl_find_object((void *)(uintptr_t)address, &object) != 0) return 0;
  const uint8_t *code = (const uint8_t *)(uintptr_t)address;
  if ((const uint8_t *)object.dlfo_map_end - code < 16) return 0;
  // endbr64, bnd.
  if (code[0] == 0xF3 && code[1] == 0x0F && code[2] == 0x1E) code += 4;
  if (code[0] == 0xF2) code += 1;
  if (code[0] != 0xFF || code[1] != 0x25) return 0;
  int32_t distance;
  memcpy(&distance, code + 2, sizeof distance);
  const uint8_t *slot = code + 6 + distance;
  if (slot < (const uint8_t *)object.dlfo_map_start || (const uint8_t *)object.dlfo_map_end - slot < 8) return 0;
  uint64_t target;
  memcpy(&target, slot, sizeof target);
  return target;
}

// Whether the call before `return_address` is of `function`: 2 = it is, 1 = it may be.
static int calls(uint64_t return_address, uint64_t function) {
  struct dl_find_object object;
  if (_dl_find_object((void *)(uintptr_t)return_address, &object) != 0) return 0;
  const uint8_t *behind = (const uint8_t *)(uintptr_t)return_address;
  function_entry caller;
  if (behind - (const uint8_t *)object.dlfo_map_start < 8 || !find_function(return_address - 1, &caller)) return 0;
  if (behind[-5] == 0xE8) {
    int32_t distance;
    memcpy(&distance, behind - 4, sizeof distance);
    uint64_t target = return_address + (uint64_t)(int64_t)distance;
    if (target == function) return 2;
    // Into another function: the return address is of an older call, or the call goes by a stub of the linker.
    return stub_target(target) == function ? 2 : 0;
  }
  // call *%reg, call *8(%reg), call *disp32(%reg) and with an index.
  for (int bytes = 2; bytes <= 7; bytes++)
    if (behind[-bytes] == 0xFF && (behind[-bytes + 1] & 0x38) == 0x10) return 1;
  return 0;
}

enum { SEARCHED_BYTES = 64 << 10 };

// The frame pointer of the function that `address` lies in, whose part of the stack begins at the stack pointer: a place
// that holds an outer frame pointer, with a return address behind it that calls the function.
static int find_frame_pointer(
    const rlt_registers *registers, const rlt_stack_bytes *stack, const function_entry *function, uint64_t *found) {
  uint64_t first = registers->values[RLT_REGISTER_SP], perhaps = 0;
  for (uint64_t at = first; at < first + SEARCHED_BYTES; at += 8) {
    uint64_t outer, caller;
    if (!read_stack(stack, at, &outer) || !read_stack(stack, at + 8, &caller)) break;
    if ((outer != 0 && outer <= at) || outer % 8 != 0 || (outer != 0 && outer - at > stack->count)) continue;
    int certainty = calls(caller, function->start);
    if (certainty == 2) {
      *found = at;
      return 1;
    }
    if (certainty == 1 && perhaps == 0) perhaps = at;
  }
  *found = perhaps;
  return perhaps != 0;
}

// MARK: Steps

static int frame_address(
    const place_rules *rules, rlt_registers *registers, const rlt_stack_bytes *stack, const function_entry *function,
    uint64_t *frame) {
  if (rules->frame.kind == IS_EXPRESSION) return evaluate(rules->frame.expression, registers, stack, 0, frame);
  unsigned number = (unsigned)rules->frame.number;
  if (rules->frame.kind != IN_REGISTER || number >= RLT_REGISTERS) return 0;
  if (!rlt_is_known(registers, number)) {
    uint64_t pointer;
    if (number != RLT_REGISTER_FP || !find_frame_pointer(registers, stack, function, &pointer)) return 0;
    rlt_set_register(registers, number, pointer);
  }
  *frame = registers->values[number] + (uint64_t)rules->offset;
  return 1;
}

static void restore(
    const rule *from, unsigned number, uint64_t frame, const rlt_registers *inner, const rlt_stack_bytes *stack,
    rlt_registers *outer) {
  uint64_t value = 0;
  int is_known = 0;
  switch (from->kind) {
    case SAME: value = inner->values[number]; is_known = rlt_is_known(inner, number); break;
    case UNDEFINED: break;
    case AT_OFFSET: is_known = read_stack(stack, frame + (uint64_t)from->number, &value); break;
    case IS_OFFSET: value = frame + (uint64_t)from->number; is_known = 1; break;
    case IN_REGISTER:
      if (from->number < 0 || from->number >= RLT_REGISTERS) break;
      value = inner->values[from->number];
      is_known = rlt_is_known(inner, (unsigned)from->number);
      break;
    case AT_EXPRESSION:
      is_known = evaluate(from->expression, inner, stack, frame, &value) && read_stack(stack, value, &value);
      break;
    case IS_EXPRESSION: is_known = evaluate(from->expression, inner, stack, frame, &value); break;
  }
  if (is_known) rlt_set_register(outer, number, value);
}

// What a signal interrupted: the kernel put it on the stack, where the handler's caller has its frame.
static int step_out_of_signal(rlt_registers *registers, const rlt_stack_bytes *stack) {
  static const int order[RLT_REGISTERS] = {
      REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
      REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
  uint64_t saved = registers->values[RLT_REGISTER_SP] + offsetof(ucontext_t, uc_mcontext.gregs);
  rlt_registers outer = {.known = 0};
  for (unsigned number = 0; number < RLT_REGISTERS; number++) {
    uint64_t value;
    if (!read_stack(stack, saved + (uint64_t)order[number] * 8, &value)) return 0;
    rlt_set_register(&outer, number, value);
  }
  *registers = outer;
  return 1;
}

// From a frame to its caller's. `is_exact`: the program counter is where the thread is, and no return address.
// The function it was in is told. 0 = nothing is found.
static int step(rlt_registers *registers, const rlt_stack_bytes *stack, int *is_exact, uint64_t *function_start) {
  uint64_t place = registers->values[RLT_REGISTER_PC] - (*is_exact ? 0 : 1);
  function_entry function;
  *function_start = 0;
  *is_exact = 0;
  if (!find_function(place, &function)) return step_by_frame_pointer(registers, stack);
  *function_start = function.start;
  if (function.is_signal_frame) {
    *is_exact = 1;
    return step_out_of_signal(registers, stack);
  }
  rules_reader state;
  uint64_t frame;
  if (!rules_of(&function, place, &state) || function.return_register >= RLT_REGISTERS) return 0;
  if (!frame_address(&state.now, registers, stack, &function, &frame)) return 0;
  if (frame <= registers->values[RLT_REGISTER_SP]) return 0;
  rlt_registers outer = {.known = 0};
  for (unsigned number = 0; number < RLT_REGISTERS; number++)
    restore(&state.now.registers[number], number, frame, registers, stack, &outer);
  rlt_set_register(&outer, RLT_REGISTER_SP, frame);
  if (function.return_register != RLT_REGISTER_PC || !rlt_is_known(&outer, RLT_REGISTER_PC)) return 0;
  // The outermost function has no caller.
  if (state.now.registers[RLT_REGISTER_PC].kind != AT_OFFSET) return 0;
  *registers = outer;
  return 1;
}

#else

// Every frame has its pointer there, by the platform's rules.
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
    // The kernel's way back from a signal is nobody's call.
    if (was_exact || !is_exact) frames[count++] = place;
    if (hidden != 0 && function == hidden) count = 0;
    if (!goes_on) break;
  }
  return count;
}
