// The tables that compilers write for exceptions (`.eh_frame`): of a place in a function, where its caller's registers are.
#ifndef RLTRACE_FRAME_TABLES_H
#define RLTRACE_FRAME_TABLES_H

#include "rltrace_unwind.h"

#if defined(__linux__)
#include <dlfcn.h>
#endif

#if defined(__x86_64__) && defined(DLFO_STRUCT_HAS_EH_DBASE)
#define RLT_HAS_FRAME_TABLES 1

// glibc 2.35 and later. It takes no lock, where dl_iterate_phdr(3) takes the loader's.
extern int _dl_find_object(void *address, struct dl_find_object *found) __attribute__((weak, visibility("default")));

// Of an image: what its code's tables may refer to.
typedef struct {
  const uint8_t *at, *end;
} rlt_reader;

// A function's entry, and what it shares with others.
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
  int64_t number;      // an offset from the frame's address, or a register
  rlt_reader expression;
} rlt_rule;

typedef struct {
  rlt_rule frame;          // IN_REGISTER and `offset`, or IS_EXPRESSION
  int64_t offset;
  rlt_rule registers[RLT_REGISTERS];
} rlt_place_rules;

// Of the function around `address`. 0 = nobody described it.
int rlt_find_function(uint64_t address, rlt_function *found);

// What holds at `address` of the function. 0 = the table is not understood.
int rlt_read_rules(const rlt_function *function, uint64_t address, rlt_place_rules *rules);

// An expression as compilers write them for realigned stacks and stubs of the linker; `first` is on its stack at the
// beginning. 0 = not understood, or not known.
int rlt_evaluate(
    rlt_reader from, const rlt_registers *registers, const rlt_stack_bytes *memory, uint64_t first, uint64_t *result);

#endif

// A word of the stack. 0 = it is not among those that were copied.
static inline int rlt_read_stack(const rlt_stack_bytes *stack, uint64_t address, uint64_t *value) {
  if (address < stack->start || address - stack->start > stack->count || stack->count - (address - stack->start) < 8)
    return 0;
  __builtin_memcpy(value, stack->bytes + (address - stack->start), 8);
  return 1;
}

#endif
