// Facts about a Mach-O image in memory: its UUID and the extent of its code.
#ifndef RLTRACE_MACHO_H
#define RLTRACE_MACHO_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
  uint8_t uuid[16];
  int has_uuid;
  uint64_t text_bytes;  // of the segment __TEXT, which begins with the header
} rlt_macho_facts;

// Reads the header of a 64-bit or 32-bit image and its load commands. Returns 0 if `bytes` hold none, or if a command
// lies outside `bytes`. O(load commands).
int rlt_read_macho(const unsigned char *bytes, size_t count, rlt_macho_facts *facts);

// Returns the size of the header with its load commands, from the first 32 bytes; 0 = not an image.
size_t rlt_macho_header_bytes(const unsigned char *bytes);

#endif
