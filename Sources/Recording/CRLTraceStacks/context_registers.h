// The places of the registers in the context that the kernel saves for an interrupted thread.
#ifndef RLTRACE_CONTEXT_REGISTERS_H
#define RLTRACE_CONTEXT_REGISTERS_H

#include <ucontext.h>

#include "rltrace_registers.h"

#if defined(__linux__) && defined(__x86_64__)
// Indexes in `gregs`, by DWARF register number.
static const int rlt_context_order[RLT_REGISTERS] = {
    REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
    REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
#endif

#endif
