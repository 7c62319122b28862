#include "stack_frames.h"

#if defined(__linux__) && defined(__x86_64__)

// A function with 8 bytes of its own, without a caller.
#define CALLER(name, call) \
  "frame_" name ":\n" \
  "  .cfi_startproc\n" \
  "  .cfi_undefined %rip\n" \
  "  subq $8, %rsp\n" \
  "  .cfi_def_cfa_offset 16\n" \
  "  " call "\n" \
  "frame_behind_" name ":\n" \
  "  addq $8, %rsp\n" \
  "  ret\n" \
  "  .cfi_endproc\n"

__asm__(
    ".data\n"
    ".balign 8\n"
    "frame_table_wait: .quad frame_wait\n"
    "frame_table_other: .quad frame_other\n"
    ".text\n"
    "frame_wait:\n"
    "  .cfi_startproc\n"
    "  pushq %rbp\n"
    "  .cfi_def_cfa_offset 16\n"
    "  .cfi_offset %rbp, -16\n"
    "  movd %edi, %xmm0\n"
    "  movq %rsp, %rbp\n"
    "  .cfi_def_cfa_register %rbp\n"
    "  pushq %r12\n"
    "  .cfi_offset %r12, -24\n"
    "  movl %edi, %eax\n"
    "  subq $24, %rsp\n"
    "  call *%rax\n"
    "frame_inside_wait:\n"
    "  leave\n"
    "  ret\n"
    "  .cfi_endproc\n"
    "frame_jumping:\n"
    "  .cfi_startproc\n"
    "  xorl %ecx, %ecx\n"
    "  jmp frame_wait\n"
    "  .cfi_endproc\n"
    "frame_other:\n"
    "  .cfi_startproc\n"
    "  ret\n"
    "  .cfi_endproc\n"
    CALLER("call", "call frame_wait")
    CALLER("table_call", "call *frame_table_wait(%rip)")
    CALLER("jumping_call", "call frame_jumping")
    CALLER("pointer_call", "call *%rax")
    CALLER("other_call", "call frame_other")
    CALLER("other_table_call", "call *frame_table_other(%rip)"));

extern const char frame_inside_wait, frame_behind_call, frame_behind_table_call, frame_behind_jumping_call,
    frame_behind_pointer_call, frame_behind_other_call, frame_behind_other_table_call;

uint64_t frame_address_of(frame_place place) {
  static const char *const places[] = {
      &frame_inside_wait, &frame_behind_call, &frame_behind_table_call, &frame_behind_jumping_call,
      &frame_behind_pointer_call, &frame_behind_other_call, &frame_behind_other_table_call};
  return (uint64_t)(uintptr_t)places[place];
}

#endif
