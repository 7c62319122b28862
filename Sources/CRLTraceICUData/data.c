// An empty file of ICU's data.
//
// A program that has Foundation linked in has 34 MB of ICU's data: names of months, time zones, orders of letters. rltrace
// asks for none of it (InstalledToolTests looks for the API that would), but CoreFoundation's strings refer to it. The
// linker takes the first definition that it meets, and this one comes before Foundation's archive.
//
// Only with RLTRACE_WITHOUT_ICU_DATA, which tools/lib.sh sets where it links Foundation in. Elsewhere the library has its own.
#if RLTRACE_WITHOUT_ICU_DATA
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

// The symbol has ICU's version in its name; with another one the data stays in, and nothing breaks.
#define STAND_IN(version) \
  extern const struct icu_data icudt##version##_dat __attribute__((alias("empty")));
STAND_IN(72) STAND_IN(73) STAND_IN(74) STAND_IN(75) STAND_IN(76) STAND_IN(77) STAND_IN(78) STAND_IN(79) STAND_IN(80)
#endif
