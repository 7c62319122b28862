#define _GNU_SOURCE
#include "frame_tables.h"

#include <string.h>

#if defined(RLT_HAS_FRAME_TABLES)

#include "image_range.h"

// MARK: Reading tables

static uint64_t take_number(rlt_reader *from, size_t bytes) {
  uint64_t value = 0;
  if ((size_t)(from->end - from->at) < bytes) {
    from->at = from->end;
    return 0;
  }
  memcpy(&value, from->at, bytes);
  from->at += bytes;
  return value;
}

static uint64_t take_uleb(rlt_reader *from) {
  uint64_t value = 0;
  for (unsigned shift = 0; from->at < from->end; shift += 7) {
    uint8_t byte = *from->at++;
    if (shift < 64) value |= (uint64_t)(byte & 0x7F) << shift;
    if ((byte & 0x80) == 0) break;
  }
  return value;
}

static int64_t take_sleb(rlt_reader *from) {
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

static uint64_t take_encoded(rlt_reader *from, uint8_t encoding) {
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

static int read_common(
    const uint8_t *entry, const uint8_t *limit, rlt_function *found, uint8_t *encoding, int *has_data) {
  rlt_reader from = {entry, limit};
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

static int read_function(const uint8_t *entry, const uint8_t *start, const uint8_t *limit, rlt_function *found) {
  rlt_reader from = {entry, limit};
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

// Finds the function around `address`. Returns 0 if no table describes it.
int rlt_find_function(uint64_t address, rlt_function *found) {
  struct dl_find_object object;
  memset(found, 0, sizeof *found);
  if (_dl_find_object == NULL || _dl_find_object((void *)(uintptr_t)address, &object) != 0) return 0;
  const uint8_t *header = object.dlfo_eh_frame, *start = object.dlfo_map_start, *limit = object.dlfo_map_end;
  if (header == NULL) return 0;
  if (header < start || header >= limit) {
    rlt_image_range range = rlt_range_of(&object);
    start = range.start;
    limit = range.end;
  }
  if (header < start || header >= limit || limit - header < 12) return 0;
  // Version 1, with a sorted table of two 32-bit distances from the header per function. All linkers write this
  // format.
  if (header[0] != 1 || header[3] != 0x3B) return 0;
  rlt_reader from = {header + 4, limit};
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

// MARK: Rules at a place in a function

enum { REMEMBERED_MAX = 8 };

typedef struct {
  rlt_place_rules now, first, remembered[REMEMBERED_MAX];
  unsigned depth;
  uint64_t address, wanted;
  const rlt_function *function;
} rules_reader;

static void set_rule(rules_reader *state, uint64_t number, enum rule_kind kind, int64_t value) {
  if (number < RLT_REGISTERS) state->now.registers[number] = (rlt_rule){.kind = kind, .number = value};
}

static rlt_reader take_block(rlt_reader *from) {
  uint64_t bytes = take_uleb(from);
  if (bytes > (size_t)(from->end - from->at)) bytes = (uint64_t)(from->end - from->at);
  rlt_reader block = {from->at, from->at + bytes};
  from->at += bytes;
  return block;
}

// The codes are DWARF's call frame instructions.
static int run_extended(rules_reader *state, uint8_t code, rlt_reader *from) {
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
      state->now.frame = (rlt_rule){.kind = IN_REGISTER, .number = (int64_t)take_uleb(from)};
      state->now.offset = (int64_t)take_uleb(from);
      break;
    case 0x0D: state->now.frame = (rlt_rule){.kind = IN_REGISTER, .number = (int64_t)take_uleb(from)}; break;
    case 0x0E: state->now.offset = (int64_t)take_uleb(from); break;
    case 0x0F: state->now.frame = (rlt_rule){.kind = IS_EXPRESSION, .expression = take_block(from)}; break;
    case 0x10: case 0x16: {
      number = take_uleb(from);
      rlt_reader block = take_block(from);
      if (number < RLT_REGISTERS)
        state->now.registers[number] =
            (rlt_rule){.kind = code == 0x10 ? AT_EXPRESSION : IS_EXPRESSION, .expression = block};
      break;
    }
    case 0x11: number = take_uleb(from); set_rule(state, number, AT_OFFSET, take_sleb(from) * step); break;
    case 0x12:
      state->now.frame = (rlt_rule){.kind = IN_REGISTER, .number = (int64_t)take_uleb(from)};
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

// Runs the instructions up to the wanted address. Returns 0 if one of them is not supported.
static int run_instructions(rules_reader *state, rlt_reader from) {
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

int rlt_read_rules(const rlt_function *function, uint64_t address, rlt_place_rules *rules) {
  rules_reader state;
  memset(&state, 0, sizeof state);
  state.function = function;
  state.wanted = address;
  state.address = function->start;
  if (!run_instructions(&state, function->common)) return 0;
  state.first = state.now;
  state.address = function->start;
  if (!run_instructions(&state, function->own)) return 0;
  *rules = state.now;
  return 1;
}

// MARK: Expressions

int rlt_evaluate(
    rlt_reader from, const rlt_registers *registers, const rlt_stack_bytes *memory, uint64_t first, uint64_t *result) {
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
      if (!rlt_read_stack(memory, values[depth - 1], &values[depth - 1])) return 0;
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

#endif
