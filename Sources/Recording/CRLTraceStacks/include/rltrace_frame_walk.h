// Walks a call stack by its frame pointers, as Apple's calling conventions guarantee them. The memory is read through a
// function, so that damaged or recorded stacks can also be walked.
#ifndef RLTRACE_FRAME_WALK_H
#define RLTRACE_FRAME_WALK_H

#include <stddef.h>
#include <stdint.h>

// Reads two words at an address: the caller's frame pointer and the return address. Returns 0 if they cannot be read.
typedef int (*rlt_read_pair)(void *context, uint64_t address, uint64_t pair[2]);

// Writes the program counter and the return addresses, innermost first, at most `most`. Returns their number. Ends at a
// frame pointer that is not above the one before, not aligned, or not readable. `address_bits` removes the signature
// that arm64e adds to return addresses.
size_t rlt_walk_frames(
    uint64_t program_counter, uint64_t frame_pointer, uint64_t address_bits, rlt_read_pair read, void *context,
    uint64_t *frames, size_t most);

#endif
