// Mach-O's layout, from Apple's "OS X ABI Mach-O File Format Reference". The images of Apple's systems are little-endian.
#include "rltrace_macho.h"

#include <string.h>

enum { MAGIC_32 = 0xFEEDFACE, MAGIC_64 = 0xFEEDFACF };
enum { SEGMENT_32 = 0x01, SEGMENT_64 = 0x19, UUID = 0x1B };
enum { HEADER_32 = 28, HEADER_64 = 32, COMMANDS_AT = 16, COMMAND_BYTES_AT = 20, COMMANDS_MAX = 4096 };

static uint32_t word(const unsigned char *at) {
  uint32_t value;
  memcpy(&value, at, sizeof value);
  return value;
}

static uint64_t long_word(const unsigned char *at) {
  uint64_t value;
  memcpy(&value, at, sizeof value);
  return value;
}

static size_t header_bytes(const unsigned char *bytes) {
  return word(bytes) == MAGIC_64 ? HEADER_64 : word(bytes) == MAGIC_32 ? HEADER_32 : 0;
}

size_t rlt_macho_header_bytes(const unsigned char *bytes) {
  size_t header = header_bytes(bytes);
  return header == 0 ? 0 : header + word(bytes + COMMAND_BYTES_AT);
}

static void read_command(const unsigned char *at, uint32_t kind, uint32_t size, rlt_macho_facts *facts) {
  enum { NAME_AT = 8, NAME_BYTES = 16, SIZE_AT_64 = 32, SIZE_AT_32 = 28 };
  static const char text[NAME_BYTES] = "__TEXT";
  if (kind == UUID && size >= 24) {
    memcpy(facts->uuid, at + 8, sizeof facts->uuid);
    facts->has_uuid = 1;
  } else if (kind == SEGMENT_64 && size >= SIZE_AT_64 + 8 && memcmp(at + NAME_AT, text, NAME_BYTES) == 0) {
    facts->text_bytes = long_word(at + SIZE_AT_64);
  } else if (kind == SEGMENT_32 && size >= SIZE_AT_32 + 4 && memcmp(at + NAME_AT, text, NAME_BYTES) == 0) {
    facts->text_bytes = word(at + SIZE_AT_32);
  }
}

int rlt_read_macho(const unsigned char *bytes, size_t count, rlt_macho_facts *facts) {
  memset(facts, 0, sizeof *facts);
  if (count < HEADER_64) return 0;
  size_t at = header_bytes(bytes);
  uint32_t commands = word(bytes + COMMANDS_AT);
  if (at == 0 || commands > COMMANDS_MAX) return 0;
  for (uint32_t i = 0; i < commands; i++) {
    if (count - at < 8) return 0;
    uint32_t kind = word(bytes + at), size = word(bytes + at + 4);
    if (size < 8 || size > count - at) return 0;
    read_command(bytes + at, kind, size, facts);
    at += size;
  }
  return 1;
}
