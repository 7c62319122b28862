/* The delta code of columns.h. */
#ifndef DELTA_CODE_H
#define DELTA_CODE_H

#include <stdint.h>

enum {
    MANTISSA_BITS = 3,
    TOP_BIT_MAX = 30,
    LONG_DELTA_CODE = (TOP_BIT_MAX + 1) << MANTISSA_BITS,
    LONG_DELTA_BITS = 56, /* with a bit offset of up to 7 they still fit into one 64-bit load */
    DELTA_CODES = LONG_DELTA_CODE + 1,
};

/* The deltas that share a code: `base` plus the value of the low bits. */
typedef struct {
    uint64_t base;
    uint64_t low_mask;
    uint8_t low_bits;
} DeltaSpan;

static inline unsigned top_bit(uint64_t value) { return 63 - (unsigned)__builtin_clzll(value); }

static inline uint8_t delta_code(uint64_t delta) {
    const uint64_t value = delta + 1;
    const unsigned top = top_bit(value);
    if (top > TOP_BIT_MAX) return LONG_DELTA_CODE;
    const unsigned low_bits = top > MANTISSA_BITS ? top - MANTISSA_BITS : 0;
    return (uint8_t)(top << MANTISSA_BITS | ((value >> low_bits) & ((1u << MANTISSA_BITS) - 1)));
}

static inline DeltaSpan delta_span(unsigned code) {
    if (code == LONG_DELTA_CODE)
        return (DeltaSpan){.base = 0, .low_mask = (UINT64_C(1) << LONG_DELTA_BITS) - 1, .low_bits = LONG_DELTA_BITS};
    const unsigned top = code >> MANTISSA_BITS;
    const uint64_t mantissa = code & ((1u << MANTISSA_BITS) - 1);
/* Below 2^MANTISSA_BITS the mantissa includes the highest bit and is the whole value. */
    if (top < MANTISSA_BITS) return (DeltaSpan){.base = mantissa - 1, .low_mask = 0, .low_bits = 0};
    const unsigned low_bits = top - MANTISSA_BITS;
    return (DeltaSpan){
        .base = (UINT64_C(1) << top | mantissa << low_bits) - 1,
        .low_mask = (UINT64_C(1) << low_bits) - 1,
        .low_bits = (uint8_t)low_bits,
    };
}

#endif
