// Unwinds the call stack of another thread of this process, from a copy of its stack and the known registers.
//
// Uses the tables that compilers write for exceptions (`.eh_frame`), so code needs no frame pointers. For a thread
// that sleeps in the kernel, only the program counter and the stack pointer are known. If a frame's address depends
// on the frame pointer, that is searched for in the stack itself, with the call that made the frame. If no call is
// certain, the stack ends there.
#ifndef RLTRACE_UNWIND_H
#define RLTRACE_UNWIND_H

#include <stddef.h>
#include <stdint.h>

#include "rltrace_registers.h"

enum { RLT_FRAMES_MAX = 200 };

// Writes the frames of the stack, innermost first, at most `most`. The first is the program counter, the others are
// return addresses. Omits `hidden`, our signal handler on top of the stack (0 = none), with the frames inside it and
// its caller in the kernel. Takes no lock and uses only its own stack. Returns the number of frames.
size_t rlt_unwind(
    const rlt_registers *registers, const rlt_stack_bytes *stack, uintptr_t hidden, uint64_t *frames, size_t most);

#endif
