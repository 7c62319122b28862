/* Measures how fast a trace can be read: encodes a workload file in memory (columns.h), checks that it decodes
 * to the same rows, then measures decompression, decoding and a trivial analysis on one thread.
 * Prints one JSON object.
 *
 *   decode ROWS [--unit 1|10|100] [--repetitions N]
 */
#define _GNU_SOURCE
#include "clocks.h"
#include "columns.h"
#include "command.h"
#include "rows_file.h"

enum { REPETITIONS_MAX = 100 };

typedef struct {
    const char *path;
    uint32_t unit_ns;
    int repetitions;
} Options;

typedef struct {
    EncodedBlock *blocks;
    uint64_t block_count;
    uint64_t bytes;
} EncodedTrace;

/* Counts less than any useful report, so its speed is an upper bound of reading speed. */
enum { OBJECT_SLOTS = 65536, HISTOGRAM_BUCKETS = 64, MODE_SLOTS = 256 };
typedef struct {
    struct {
        uint64_t count, total_ns, max_ns;
    } callouts[OBJECT_SLOTS]; /* objects beyond share a slot: only the speed matters here */
    uint64_t duration_log2[HISTOGRAM_BUCKETS];
    uint64_t events_of_kind[EVENT_KINDS];
    uint64_t events_of_mode[MODE_SLOTS];
    uint64_t busy_ns, waiting_ns;
    uint64_t callout_begin_ns, last_wait_edge_ns;
} Analysis;

static void count_callout(Analysis *analysis, uint32_t object, uint64_t duration_ns) {
    const uint32_t slot = object % OBJECT_SLOTS;
    analysis->callouts[slot].count++;
    analysis->callouts[slot].total_ns += duration_ns;
    if (duration_ns > analysis->callouts[slot].max_ns) analysis->callouts[slot].max_ns = duration_ns;
    analysis->duration_log2[63 - __builtin_clzll(duration_ns | 1)]++;
}

static void analyze(Analysis *analysis, const TraceRow *rows, uint32_t count) {
    for (uint32_t index = 0; index < count; index++) {
        const TraceRow *row = &rows[index];
        analysis->events_of_kind[row->kind]++;
        analysis->events_of_mode[row->mode]++;
        switch (row->kind) {
        case SOURCE0_BEGIN:
        case TIMER_BEGIN: analysis->callout_begin_ns = row->time_ns; break;
        case SOURCE0_END:
        case TIMER_END: count_callout(analysis, row->object, row->time_ns - analysis->callout_begin_ns); break;
        case BEFORE_WAITING:
            analysis->busy_ns += row->time_ns - analysis->last_wait_edge_ns;
            analysis->last_wait_edge_ns = row->time_ns;
            break;
        case AFTER_WAITING:
            analysis->waiting_ns += row->time_ns - analysis->last_wait_edge_ns;
            analysis->last_wait_edge_ns = row->time_ns;
            break;
        default: break;
        }
    }
}

static EncodedTrace encode_trace(const TraceRow *rows, uint64_t count, uint32_t unit_ns) {
    EncodedTrace trace = {.block_count = (count + BLOCK_EVENTS - 1) / BLOCK_EVENTS};
    trace.blocks = allocate(trace.block_count * sizeof *trace.blocks);
    Encoder *encoder = make_encoder();
    for (uint64_t block = 0; block < trace.block_count; block++) {
        const uint64_t first = block * BLOCK_EVENTS;
        const uint64_t left = count - first;
        trace.blocks[block] =
            encode_block(encoder, rows + first, left < BLOCK_EVENTS ? (uint32_t)left : BLOCK_EVENTS, unit_ns);
        trace.bytes += encoded_block_bytes(&trace.blocks[block]);
    }
    free_encoder(encoder);
    return trace;
}

static void free_trace(EncodedTrace *trace) {
    for (uint64_t block = 0; block < trace->block_count; block++) free(trace->blocks[block].stored);
    free(trace->blocks);
}

static void verify_round_trip(const EncodedTrace *trace, const TraceRow *rows, uint32_t unit_ns, Decoder *decoder,
                              TraceRow *scratch) {
    for (uint64_t block = 0; block < trace->block_count; block++) {
        decode_block(decoder, &trace->blocks[block], unit_ns, scratch);
        for (uint32_t event = 0; event < trace->blocks[block].events; event++) {
            const uint64_t index = block * BLOCK_EVENTS + event;
            TraceRow expected = rows[index];
            expected.time_ns -= expected.time_ns % unit_ns;
            expected.reserved = 0;
            if (memcmp(&expected, &scratch[event], sizeof expected) != 0)
                fail(EX_SOFTWARE, "event %llu did not survive the round trip", (unsigned long long)index);
        }
    }
}

static uint64_t read_once(const EncodedTrace *trace, uint32_t unit_ns, Decoder *decoder, TraceRow *scratch,
                          Analysis *analysis) {
    memset(analysis, 0, sizeof *analysis);
    analysis->last_wait_edge_ns = trace->blocks[0].first_time * unit_ns;
    const uint64_t start_ns = thread_cpu_ns();
    for (uint64_t block = 0; block < trace->block_count; block++) {
        decode_block(decoder, &trace->blocks[block], unit_ns, scratch);
        analyze(analysis, scratch, trace->blocks[block].events);
    }
    return thread_cpu_ns() - start_ns;
}

static Options parse_options(int argument_count, char **arguments) {
    Options options = {.path = NULL, .unit_ns = 10, .repetitions = 5};
    for (int index = 1; index < argument_count; index++) {
        const char *argument = arguments[index], *value = arguments[index + 1];
        if (strcmp(argument, "--unit") == 0 && value) {
            options.unit_ns = (uint32_t)parse_count(argument, value, 100);
            index++;
        } else if (strcmp(argument, "--repetitions") == 0 && value) {
            options.repetitions = (int)parse_count(argument, value, REPETITIONS_MAX);
            index++;
        } else if (argument[0] != '-' && !options.path) {
            options.path = argument;
        } else {
            fail(EX_USAGE, "decode: unexpected argument '%s'", argument);
        }
    }
    if (!options.path) fail(EX_USAGE, "usage: decode ROWS [--unit 1|10|100] [--repetitions N]");
    if (options.unit_ns != 1 && options.unit_ns != 10 && options.unit_ns != 100)
        fail(EX_USAGE, "--unit: expected 1, 10 or 100 ns");
    return options;
}

int main(int argument_count, char **arguments) {
    const Options options = parse_options(argument_count, arguments);
    uint64_t count;
    TraceRow *rows = load_rows(options.path, &count);
    EncodedTrace trace = encode_trace(rows, count, options.unit_ns);
    Decoder *decoder = make_decoder();
    TraceRow *scratch = allocate(BLOCK_EVENTS * sizeof *scratch);
    verify_round_trip(&trace, rows, options.unit_ns, decoder, scratch);
    free(rows);

    Analysis *analysis = allocate(sizeof *analysis);
    double speeds[REPETITIONS_MAX];
    for (int repetition = 0; repetition < options.repetitions; repetition++) {
        const uint64_t cpu_ns = read_once(&trace, options.unit_ns, decoder, scratch, analysis);
        speeds[repetition] = (double)count * 1e3 / (double)cpu_ns;
    }
    printf("{\"events\": %llu, \"unit_ns\": %u, \"bytes_per_event\": %.4f, \"million_events_per_second\": %.2f, "
           "\"busy_share\": %.4f}\n",
           (unsigned long long)count, options.unit_ns, (double)trace.bytes / (double)count,
           median(speeds, options.repetitions),
           (double)analysis->busy_ns / (double)(analysis->busy_ns + analysis->waiting_ns + 1));
    free(analysis);
    free(scratch);
    free_decoder(decoder);
    free_trace(&trace);
    return EX_OK;
}
