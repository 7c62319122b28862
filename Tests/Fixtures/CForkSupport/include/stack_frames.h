// Functions for stacks that tests write by hand. They are never called.
#ifndef STACK_FRAMES_H
#define STACK_FRAMES_H

#include <stdint.h>

#if defined(__linux__) && defined(__x86_64__)

// A place in a function, behind a call.
typedef enum {
  // In a function whose frame the frame pointer gives. Below the saved frame pointer, it has 32 bytes.
  FRAME_INSIDE_WAIT,
  // The callers of that function have 8 bytes, and use the frame pointer for other values.
  FRAME_BEHIND_CALL,          // a call to it
  FRAME_BEHIND_TABLE_CALL,    // a call through the linker's table
  FRAME_BEHIND_JUMPING_CALL,  // a call to a function that ends with a jump to it
  FRAME_BEHIND_POINTER_CALL,  // a call through a register
  FRAME_BEHIND_OTHER_CALL,    // a call to another function
  FRAME_BEHIND_OTHER_TABLE_CALL,
} frame_place;

uint64_t frame_address_of(frame_place place);

#endif
#endif
