#include "rltrace_frame_walk.h"

size_t rlt_walk_frames(
    uint64_t program_counter, uint64_t frame_pointer, uint64_t address_bits, rlt_read_pair read, void *context,
    uint64_t *frames, size_t most) {
  size_t count = 0;
  if (most == 0) return 0;
  frames[count++] = program_counter & address_bits;
  for (uint64_t at = frame_pointer; at != 0 && at % sizeof(uint64_t) == 0 && count < most;) {
    uint64_t pair[2];
    if (!read(context, at, pair)) break;
    uint64_t caller = pair[1] & address_bits;
    if (caller == 0) break;
    frames[count++] = caller;
    // The stack grows down, so a caller's frame lies above.
    if (pair[0] <= at) break;
    at = pair[0];
  }
  return count;
}
