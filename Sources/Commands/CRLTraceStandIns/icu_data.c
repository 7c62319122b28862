// An empty ICU data file.
//
// A program that links Foundation statically contains 34 MB of ICU's data: names of months, time zones, collation
// orders. rltrace uses none of it (InstalledToolTests checks that no source uses API that needs it), but
// CoreFoundation's strings refer to it. The linker takes the first definition that it meets, and this one comes before
// Foundation's archive.
//
// Compiled only with RLTRACE_LINKS_STATICALLY, which tools/lib.sh sets when it links Foundation statically. Otherwise,
// Foundation's own data is used.
#if RLTRACE_LINKS_STATICALLY
#include <stdint.h>

// The header of a data file, then a table of contents. See udata.h and ucmndata.h of ICU.
struct icu_data {
  uint16_t header_size;
  uint8_t magic1, magic2;
  uint16_t info_size, reserved;
  uint8_t is_big_endian, charset_family, uchar_size, reserved2;
  uint8_t format[4], format_version[4], data_version[4];
  uint8_t padding[8];
  uint32_t entry_count, reserved3;
};

static const struct icu_data empty __attribute__((aligned(16), used)) = {
  .header_size = 32, .magic1 = 0xda, .magic2 = 0x27, .info_size = 20,
  .is_big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__, .uchar_size = 2,
  .format = {'T', 'o', 'C', 'P'}, .format_version = {1},
};

// The name of the symbol contains ICU's version. With an unlisted version, the linker keeps the data and nothing
// breaks.
#define STAND_IN(version) \
  extern const struct icu_data icudt##version##_dat __attribute__((alias("empty")));
STAND_IN(72) STAND_IN(73) STAND_IN(74) STAND_IN(75) STAND_IN(76) STAND_IN(77) STAND_IN(78) STAND_IN(79) STAND_IN(80)
#endif
