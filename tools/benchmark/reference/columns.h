/* A columnar encoding close to the entropy limit, as a reference for size and reading speed.
 *
 * A block of up to 32,768 events is a sequence of columns, each compressed separately unless marked raw:
 *
 *   object dictionary      u32 per distinct object that was not predicted
 *   kinds, modes           u8 per event
 *   for each kind:
 *     delta codes          u8 per event: the delta since the previous event, see below
 *     delta low bits       raw: these bits are noise, so compressing them costs time and saves nothing
 *     object references    varint per event: 0 as predicted, else 1 + index into the dictionary
 *
 * Delta code: v = delta + 1 has its highest bit at position p. Up to p = 30 the code is 8p + the three
 * bits below the highest one; the bits below those are the low bits. Code 248 marks any longer
 * delta, which is then stored completely in 56 low bits.
 *
 * Prediction: the object of an end is that of the last begin of its pair; any other object is the last
 * one of its kind.
 */
#ifndef COLUMNS_H
#define COLUMNS_H

#include <stddef.h>
#include <stdint.h>

#include "workload.h"

enum {
    BLOCK_EVENTS = 32768,
    OBJECT_COLUMN = 0,
    KIND_COLUMN,
    MODE_COLUMN,
    FIRST_COLUMN_OF_KINDS,
    COLUMNS_PER_KIND = 3,
    COLUMNS = FIRST_COLUMN_OF_KINDS + COLUMNS_PER_KIND * EVENT_KINDS,
};

/* One block in memory. A file would also contain the first time, the event count and the column lengths:
 * they count as 12 bytes and 3 bytes per column. */
typedef struct {
    uint64_t first_time; /* in time units */
    uint32_t events;
    uint32_t plain_bytes[COLUMNS];
    uint32_t stored_bytes[COLUMNS]; /* equal to plain_bytes: not compressed */
    uint8_t *stored;
} EncodedBlock;

enum { BLOCK_HEADER_BYTES = 12 + 3 * COLUMNS };

typedef struct Encoder Encoder;
typedef struct Decoder Decoder;

Encoder *make_encoder(void);
void free_encoder(Encoder *encoder);
/* Encodes a block. Times are stored as multiples of `unit_ns`. Ends the program if time goes backwards. */
EncodedBlock encode_block(Encoder *encoder, const TraceRow *rows, uint32_t count, uint32_t unit_ns);
size_t encoded_block_bytes(const EncodedBlock *block);

Decoder *make_decoder(void);
void free_decoder(Decoder *decoder);
/* Decompresses and decodes a block into `rows`, which has room for BLOCK_EVENTS. Only for blocks of encode_block:
 * the function checks nothing. */
void decode_block(Decoder *decoder, const EncodedBlock *block, uint32_t unit_ns, TraceRow *rows);

#endif
