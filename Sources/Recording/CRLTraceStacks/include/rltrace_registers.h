// The known registers of a thread, and a copy of its stack.
#ifndef RLTRACE_REGISTERS_H
#define RLTRACE_REGISTERS_H

#include <stddef.h>
#include <stdint.h>

// In DWARF's numbering; the last is the program counter.
enum { RLT_REGISTERS = 17 };

#if defined(__aarch64__)
enum { RLT_REGISTER_FP = 0, RLT_REGISTER_SP = 1, RLT_REGISTER_PC = 16 };
#else
enum { RLT_REGISTER_FP = 6, RLT_REGISTER_SP = 7, RLT_REGISTER_PC = 16 };
#endif

typedef struct {
  uint64_t values[RLT_REGISTERS];
  uint32_t known;  // one bit per register
} rlt_registers;

// The bytes of a stack, from the stack pointer up.
typedef struct {
  uint64_t start;
  size_t count;
  const unsigned char *bytes;
} rlt_stack_bytes;

static inline void rlt_set_register(rlt_registers *registers, unsigned number, uint64_t value) {
  registers->values[number] = value;
  registers->known |= 1u << number;
}

static inline int rlt_is_known(const rlt_registers *registers, unsigned number) {
  return (registers->known >> number & 1) != 0;
}

#endif
