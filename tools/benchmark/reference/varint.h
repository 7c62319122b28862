/* LEB128: seven bits per byte, least significant first; the high bit marks that more bytes follow. */
#ifndef VARINT_H
#define VARINT_H

#include <stdint.h>

enum { VARINT_BYTES_MAX = 10 };

static inline uint8_t *write_varint(uint8_t *out, uint64_t value) {
    while (value >= 0x80) {
        *out++ = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    *out++ = (uint8_t)value;
    return out;
}

static inline const uint8_t *read_varint(const uint8_t *in, uint64_t *value) {
    uint64_t result = *in++;
    if (result >= 0x80) {
        result &= 0x7F;
        for (unsigned shift = 7;; shift += 7) {
            const uint64_t byte = *in++;
            result |= (byte & 0x7F) << shift;
            if (byte < 0x80) break;
        }
    }
    *value = result;
    return in;
}

/* Maps small magnitudes of either sign to small numbers. */
static inline uint64_t zigzag(int64_t value) { return (uint64_t)value << 1 ^ (uint64_t)(value >> 63); }

#endif
