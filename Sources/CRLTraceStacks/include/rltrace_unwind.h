// Call stacks of another thread of this process, from a copy of its stack and the registers that are known.
//
// By the tables that compilers write for exceptions (`.eh_frame`), so code without frame pointers is no obstacle. A thread
// that sleeps in the kernel shows where it is and where its stack begins, and no other register: where a frame is found by
// one of those (nearly always the frame pointer), the chain of frame pointers is looked for in the stack itself.
#ifndef RLTRACE_UNWIND_H
#define RLTRACE_UNWIND_H

#include <stddef.h>
#include <stdint.h>

enum {
  RLT_FRAMES_MAX = 200,
  RLT_REGISTERS = 17,  // in DWARF's numbering; the last is the program counter
};

#if defined(__aarch64__)
enum { RLT_REGISTER_FP = 0, RLT_REGISTER_SP = 1, RLT_REGISTER_PC = 16 };
#else
enum { RLT_REGISTER_FP = 6, RLT_REGISTER_SP = 7, RLT_REGISTER_PC = 16 };
#endif

typedef struct {
  uint64_t values[RLT_REGISTERS];
  uint32_t known;  // a bit per register
} rlt_registers;

// Bytes of a stack, from the stack pointer up.
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

// Writes the frames of the stack, innermost first, at most `most`: the innermost as it is, of the others the return
// address. Frames of `hidden`, a function of ours that a signal put on top, and what it was called by are left out;
// 0 = there is none. Takes no lock, and no memory but its own stack's. Returns how many.
size_t rlt_unwind(
    const rlt_registers *registers, const rlt_stack_bytes *stack, uintptr_t hidden, uint64_t *frames, size_t most);

#endif
