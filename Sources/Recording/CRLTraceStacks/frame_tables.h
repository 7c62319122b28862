// The tables that compilers write for exceptions (`.eh_frame`). For a place in a function, they describe where the
// caller's registers are.
#ifndef RLTRACE_FRAME_TABLES_H
#define RLTRACE_FRAME_TABLES_H

#include <dlfcn.h>

#include "rltrace_registers.h"

#if defined(__x86_64__) && defined(DLFO_STRUCT_HAS_EH_DBASE)
#define RLT_HAS_FRAME_TABLES 1

// In glibc 2.35 and later. It takes no lock, whereas dl_iterate_phdr(3) takes the loader's lock.
extern int _dl_find_object(void *address, struct dl_find_object *found) __attribute__((weak, visibility("default")));

// A range of bytes in an image, to read from.
typedef struct {
  const uint8_t *at, *end;
} rlt_reader;

// A function's entry, and the entry that it shares with other functions.
typedef struct {
  uint64_t start, end;
  rlt_reader common, own;  // instructions
  uint64_t code_step;
  int64_t data_step;
  unsigned return_register;
  int is_signal_frame;
} rlt_function;

enum rule_kind { SAME, UNDEFINED, AT_OFFSET, IS_OFFSET, IN_REGISTER, AT_EXPRESSION, IS_EXPRESSION };

typedef struct {
  enum rule_kind kind;
  int64_t number;      // an offset from the frame's address, or a register number
  rlt_reader expression;
} rlt_rule;

typedef struct {
  rlt_rule frame;          // IN_REGISTER and `offset`, or IS_EXPRESSION
  int64_t offset;
  rlt_rule registers[RLT_REGISTERS];
} rlt_place_rules;

// Finds the function around `address`. Returns 0 if no table describes it.
int rlt_find_function(uint64_t address, rlt_function *found);

// Reads the rules at `address` of the function. Returns 0 if the table is not supported.
int rlt_read_rules(const rlt_function *function, uint64_t address, rlt_place_rules *rules);

// Evaluates an expression as compilers write them for realigned stacks and linker stubs. `first` is on its stack at
// the start. Returns 0 if the expression is not supported or its value is not known.
int rlt_evaluate(
    rlt_reader from, const rlt_registers *registers, const rlt_stack_bytes *memory, uint64_t first, uint64_t *result);

#endif

// Reads a word of the stack. Returns 0 if it was not copied.
static inline int rlt_read_stack(const rlt_stack_bytes *stack, uint64_t address, uint64_t *value) {
  if (address < stack->start || address - stack->start > stack->count || stack->count - (address - stack->start) < 8)
    return 0;
  __builtin_memcpy(value, stack->bytes + (address - stack->start), 8);
  return 1;
}

#endif
