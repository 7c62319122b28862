#include "columns.h"

#include <zstd.h>

#include "command.h"
#include "delta_code.h"
#include "varint.h"

enum {
    ZSTD_LEVEL = 1,
    COMPRESSED_BYTES_MIN = 16, /* below this size a frame header costs more than compression saves */
    LOAD_SLACK_BYTES = 8,      /* the bit reader also loads whole words at the end of a column */
    REFERENCE_BYTES_MAX = 3,
    DICTIONARY_SLOTS = 2 * BLOCK_EVENTS,
};

enum { DELTA_CODES_OF_KIND, LOW_BITS_OF_KIND, REFERENCES_OF_KIND };

static int column_of_kind(int kind, int column) { return FIRST_COLUMN_OF_KINDS + COLUMNS_PER_KIND * kind + column; }

static int is_raw(int column, size_t plain_bytes) {
    const int is_low_bits =
        column >= FIRST_COLUMN_OF_KINDS && (column - FIRST_COLUMN_OF_KINDS) % COLUMNS_PER_KIND == LOW_BITS_OF_KIND;
    return is_low_bits || plain_bytes < COMPRESSED_BYTES_MIN;
}

/* The kind whose last object predicts the object of an event. */
static const uint8_t predicting_kind[EVENT_KINDS] = {
    [BEFORE_TIMERS] = BEFORE_TIMERS,   [BEFORE_SOURCES] = BEFORE_SOURCES, [SOURCE0_BEGIN] = SOURCE0_BEGIN,
    [SOURCE0_END] = SOURCE0_BEGIN,     [BEFORE_WAITING] = BEFORE_WAITING, [AFTER_WAITING] = AFTER_WAITING,
    [TIMER_BEGIN] = TIMER_BEGIN,       [TIMER_END] = TIMER_BEGIN,
};

/* Encoding */

typedef struct {
    uint8_t delta_codes[BLOCK_EVENTS];
    uint8_t low_bits[BLOCK_EVENTS * LONG_DELTA_BITS / 8 + LOAD_SLACK_BYTES];
    uint8_t references[BLOCK_EVENTS * REFERENCE_BYTES_MAX];
    uint32_t events;
    uint64_t bit_count;
    uint8_t *references_end;
    uint32_t last_object;
} KindColumns;

/* Open addressing. A slot belongs to the current block if its generation matches. */
typedef struct {
    uint32_t object, index, generation;
} DictionarySlot;

struct Encoder {
    ZSTD_CCtx *compressor;
    KindColumns kinds[EVENT_KINDS];
    uint8_t kind_of_event[BLOCK_EVENTS];
    uint8_t mode_of_event[BLOCK_EVENTS];
    uint32_t objects[BLOCK_EVENTS];
    uint32_t object_count;
    DictionarySlot slots[DICTIONARY_SLOTS];
    uint32_t generation;
};

Encoder *make_encoder(void) {
    Encoder *encoder = allocate(sizeof *encoder);
    encoder->compressor = ZSTD_createCCtx();
    return encoder;
}

void free_encoder(Encoder *encoder) {
    ZSTD_freeCCtx(encoder->compressor);
    free(encoder);
}

static void start_block(Encoder *encoder) {
    encoder->object_count = 0;
    encoder->generation++;
    for (int kind = 0; kind < EVENT_KINDS; kind++) {
        KindColumns *columns = &encoder->kinds[kind];
        columns->events = 0;
        columns->bit_count = 0;
        columns->references_end = columns->references;
        columns->last_object = 0;
        memset(columns->low_bits, 0, sizeof columns->low_bits);
    }
}

static uint32_t dictionary_index(Encoder *encoder, uint32_t object) {
    uint32_t slot = object * UINT32_C(2654435761) % DICTIONARY_SLOTS;
    for (;; slot = (slot + 1) % DICTIONARY_SLOTS) {
        DictionarySlot *entry = &encoder->slots[slot];
        if (entry->generation != encoder->generation) {
            encoder->objects[encoder->object_count] = object;
            *entry = (DictionarySlot){object, encoder->object_count++, encoder->generation};
        }
        if (entry->object == object) return entry->index;
    }
}

static void append_bits(KindColumns *columns, uint64_t bits, unsigned count) {
    uint64_t word;
    uint8_t *byte = columns->low_bits + columns->bit_count / 8;
    memcpy(&word, byte, sizeof word);
    word |= bits << columns->bit_count % 8;
    memcpy(byte, &word, sizeof word);
    columns->bit_count += count;
}

static void append_delta(KindColumns *columns, uint64_t delta) {
    const uint8_t code = delta_code(delta);
    const DeltaSpan span = delta_span(code);
    columns->delta_codes[columns->events++] = code;
    append_bits(columns, delta - span.base, span.low_bits);
}

static void append_object(Encoder *encoder, uint8_t kind, uint32_t object) {
    KindColumns *columns = &encoder->kinds[kind];
    const uint32_t predicted = encoder->kinds[predicting_kind[kind]].last_object;
    const uint32_t reference = object == predicted ? 0 : 1 + dictionary_index(encoder, object);
    columns->references_end = write_varint(columns->references_end, reference);
    columns->last_object = object;
}

static size_t store_column(Encoder *encoder, EncodedBlock *block, int column, const void *plain, size_t bytes,
                           uint8_t *out) {
    size_t stored = bytes;
    if (is_raw(column, bytes)) {
        memcpy(out, plain, bytes);
    } else {
        stored = ZSTD_compressCCtx(encoder->compressor, out, ZSTD_compressBound(bytes), plain, bytes, ZSTD_LEVEL);
        if (ZSTD_isError(stored)) fail(EX_SOFTWARE, "zstd: %s", ZSTD_getErrorName(stored));
        if (stored >= bytes) memcpy(out, plain, stored = bytes);
    }
    block->plain_bytes[column] = (uint32_t)bytes;
    block->stored_bytes[column] = (uint32_t)stored;
    return stored;
}

static void store_columns(Encoder *encoder, EncodedBlock *block) {
    const void *plain[COLUMNS] = {encoder->objects, encoder->kind_of_event, encoder->mode_of_event};
    size_t bytes[COLUMNS] = {encoder->object_count * sizeof *encoder->objects, block->events, block->events};
    for (int kind = 0; kind < EVENT_KINDS; kind++) {
        const KindColumns *columns = &encoder->kinds[kind];
        const int first = column_of_kind(kind, 0);
        plain[first + DELTA_CODES_OF_KIND] = columns->delta_codes;
        bytes[first + DELTA_CODES_OF_KIND] = columns->events;
        plain[first + LOW_BITS_OF_KIND] = columns->low_bits;
        bytes[first + LOW_BITS_OF_KIND] = (columns->bit_count + 7) / 8;
        plain[first + REFERENCES_OF_KIND] = columns->references;
        bytes[first + REFERENCES_OF_KIND] = (size_t)(columns->references_end - columns->references);
    }
    size_t capacity = LOAD_SLACK_BYTES, used = 0;
    for (int column = 0; column < COLUMNS; column++) capacity += ZSTD_compressBound(bytes[column]);
    block->stored = allocate(capacity);
    for (int column = 0; column < COLUMNS; column++)
        used += store_column(encoder, block, column, plain[column], bytes[column], block->stored + used);
    uint8_t *shrunk = realloc(block->stored, used + LOAD_SLACK_BYTES);
    if (shrunk) block->stored = shrunk;
}

EncodedBlock encode_block(Encoder *encoder, const TraceRow *rows, uint32_t count, uint32_t unit_ns) {
    EncodedBlock block = {.first_time = rows[0].time_ns / unit_ns, .events = count};
    start_block(encoder);
    uint64_t previous_time = block.first_time;
    for (uint32_t row = 0; row < count; row++) {
        const uint64_t time = rows[row].time_ns / unit_ns;
        if (time < previous_time || (time - previous_time) >> LONG_DELTA_BITS)
            fail(EX_DATAERR, "time goes backwards, or more than two years forward");
        append_delta(&encoder->kinds[rows[row].kind], time - previous_time);
        append_object(encoder, rows[row].kind, rows[row].object);
        encoder->kind_of_event[row] = rows[row].kind;
        encoder->mode_of_event[row] = rows[row].mode;
        previous_time = time;
    }
    store_columns(encoder, &block);
    return block;
}

size_t encoded_block_bytes(const EncodedBlock *block) {
    size_t bytes = BLOCK_HEADER_BYTES;
    for (int column = 0; column < COLUMNS; column++) bytes += block->stored_bytes[column];
    return bytes;
}

/* Decoding */

enum { PLAIN_BYTES_MAX = BLOCK_EVENTS * (4 + 1 + 1 + 1 + REFERENCE_BYTES_MAX) };

struct Decoder {
    ZSTD_DCtx *decompressor;
    DeltaSpan spans[DELTA_CODES];
    uint8_t plain[PLAIN_BYTES_MAX];
};

Decoder *make_decoder(void) {
    Decoder *decoder = allocate(sizeof *decoder);
    decoder->decompressor = ZSTD_createDCtx();
    for (unsigned code = 0; code < DELTA_CODES; code++) decoder->spans[code] = delta_span(code);
    return decoder;
}

void free_decoder(Decoder *decoder) {
    ZSTD_freeDCtx(decoder->decompressor);
    free(decoder);
}

/* Uncompressed columns are read in place. */
static void open_columns(Decoder *decoder, const EncodedBlock *block, const uint8_t *columns[COLUMNS]) {
    const uint8_t *stored = block->stored;
    uint8_t *plain = decoder->plain, *plain_end = plain + sizeof decoder->plain;
    for (int column = 0; column < COLUMNS; column++) {
        const size_t plain_bytes = block->plain_bytes[column], stored_bytes = block->stored_bytes[column];
        if (stored_bytes == plain_bytes) {
            columns[column] = stored;
        } else {
            const size_t size = ZSTD_decompressDCtx(decoder->decompressor, plain, (size_t)(plain_end - plain), stored,
                                                    stored_bytes);
            if (size != plain_bytes) fail(EX_SOFTWARE, "zstd: a column did not decompress");
            columns[column] = plain;
            plain += plain_bytes;
        }
        stored += stored_bytes;
    }
}

/* The read position in the columns of one kind. */
typedef struct {
    const uint8_t *delta_codes;
    const uint8_t *low_bits;
    const uint8_t *references;
    uint64_t bit_position;
} KindCursor;

static inline uint64_t read_low_bits(KindCursor *cursor, const DeltaSpan *span) {
    uint64_t word;
    memcpy(&word, cursor->low_bits + cursor->bit_position / 8, sizeof word);
    const uint64_t bits = (word >> cursor->bit_position % 8) & span->low_mask;
    cursor->bit_position += span->low_bits;
    return bits;
}

void decode_block(Decoder *decoder, const EncodedBlock *block, uint32_t unit_ns, TraceRow *rows) {
    const uint8_t *columns[COLUMNS];
    open_columns(decoder, block, columns);
    KindCursor cursors[EVENT_KINDS];
    for (int kind = 0; kind < EVENT_KINDS; kind++)
        cursors[kind] = (KindCursor){
            .delta_codes = columns[column_of_kind(kind, DELTA_CODES_OF_KIND)],
            .low_bits = columns[column_of_kind(kind, LOW_BITS_OF_KIND)],
            .references = columns[column_of_kind(kind, REFERENCES_OF_KIND)],
        };
    uint32_t last_object[EVENT_KINDS] = {0};
    uint64_t time = block->first_time;
    for (uint32_t event = 0; event < block->events; event++) {
        const uint8_t kind = columns[KIND_COLUMN][event];
        KindCursor *cursor = &cursors[kind];
        const DeltaSpan *span = &decoder->spans[*cursor->delta_codes++];
        time += span->base + read_low_bits(cursor, span);
        uint64_t reference;
        cursor->references = read_varint(cursor->references, &reference);
        uint32_t object = last_object[predicting_kind[kind]];
        if (reference) memcpy(&object, columns[OBJECT_COLUMN] + (reference - 1) * sizeof object, sizeof object);
        last_object[kind] = object;
        rows[event] = (TraceRow){time * unit_ns, object, kind, columns[MODE_COLUMN][event], 0};
    }
}
