/* A complete recorder in C for the *tight* workload, as a reference for ours. One thread stamps and stores
 * rows; another encodes full blocks as columns with delta varints, compresses them and writes them.
 * Prints one JSON object.
 *
 *   pipeline OUT [PASSES]
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>
#include <zstd.h>

#include "clocks.h"
#include "command.h"
#include "varint.h"
#include "workload.h"

enum { BLOCK_ROWS = 32768, QUEUE_BLOCKS = 8, CACHE_LINE = 64, ZSTD_LEVEL = 1 };
enum { ENCODED_ROW_BYTES_MAX = 2 + 2 * VARINT_BYTES_MAX };

typedef struct {
    TraceRow rows[BLOCK_ROWS];
    uint32_t count;
} Block;

/* One producer, one consumer. Each counter has its own cache line, because the other side polls it. */
typedef struct {
    _Alignas(CACHE_LINE) atomic_uint_fast64_t filled;
    _Alignas(CACHE_LINE) atomic_uint_fast64_t drained;
    atomic_bool finished;
    _Alignas(4096) Block blocks[QUEUE_BLOCKS];
} Queue;

typedef struct {
    const char *path;
    FILE *file;
    uint64_t cpu_ns;
    uint64_t bytes;
} Consumer;

static Queue queue;

static Block *next_free_block(uint64_t *stalls) {
    const uint64_t filled = atomic_load_explicit(&queue.filled, memory_order_relaxed);
    while (filled - atomic_load_explicit(&queue.drained, memory_order_acquire) == QUEUE_BLOCKS) {
        ++*stalls;
        usleep(50);
    }
    return &queue.blocks[filled % QUEUE_BLOCKS];
}

static void hand_over(Block *block, uint32_t count) {
    block->count = count;
    atomic_fetch_add_explicit(&queue.filled, 1, memory_order_release);
}

static size_t encode_columns(const Block *block, uint8_t *out) {
    uint8_t *cursor = out;
    for (uint32_t row = 0; row < block->count; row++) *cursor++ = block->rows[row].kind;
    for (uint32_t row = 0; row < block->count; row++) *cursor++ = block->rows[row].mode;
    uint64_t previous_time = 0;
    for (uint32_t row = 0; row < block->count; row++) {
        cursor = write_varint(cursor, block->rows[row].time_ns - previous_time);
        previous_time = block->rows[row].time_ns;
    }
    uint32_t previous_object = 0;
    for (uint32_t row = 0; row < block->count; row++) {
        cursor = write_varint(cursor, zigzag((int64_t)block->rows[row].object - previous_object));
        previous_object = block->rows[row].object;
    }
    return (size_t)(cursor - out);
}

static void drain(Consumer *consumer) {
    const size_t plain_capacity = (size_t)BLOCK_ROWS * ENCODED_ROW_BYTES_MAX;
    const size_t packed_capacity = ZSTD_compressBound(plain_capacity);
    uint8_t *plain = allocate(plain_capacity), *packed = allocate(packed_capacity);
    ZSTD_CCtx *compressor = ZSTD_createCCtx();
    for (uint64_t drained = 0;;) {
        const bool finished = atomic_load_explicit(&queue.finished, memory_order_acquire);
        if (atomic_load_explicit(&queue.filled, memory_order_acquire) == drained) {
            if (finished) break;
            usleep(200);
            continue;
        }
        const size_t plain_bytes = encode_columns(&queue.blocks[drained % QUEUE_BLOCKS], plain);
        atomic_store_explicit(&queue.drained, ++drained, memory_order_release);
        const size_t packed_bytes =
            ZSTD_compressCCtx(compressor, packed, packed_capacity, plain, plain_bytes, ZSTD_LEVEL);
        if (ZSTD_isError(packed_bytes)) fail(EX_SOFTWARE, "zstd: %s", ZSTD_getErrorName(packed_bytes));
        if (fwrite(packed, 1, packed_bytes, consumer->file) != packed_bytes)
            fail(EX_IOERR, "%s: cannot write", consumer->path);
        consumer->bytes += packed_bytes;
    }
    ZSTD_freeCCtx(compressor);
    free(plain);
    free(packed);
}

static void *run_consumer(void *argument) {
    Consumer *consumer = argument;
    const uint64_t start_ns = thread_cpu_ns();
    drain(consumer);
    consumer->cpu_ns = thread_cpu_ns() - start_ns;
    return NULL;
}

static uint64_t produce(uint64_t passes, uint64_t *stalls) {
    const uint64_t start_ns = thread_cpu_ns();
    Block *block = next_free_block(stalls);
    uint32_t used = 0;
#define RECORD(kind, mode, object)                                         \
    do {                                                                   \
        store_row(&block->rows[used], cycle_counter(), kind, mode, object); \
        if (__builtin_expect(++used == BLOCK_ROWS, 0)) {                   \
            hand_over(block, used);                                        \
            block = next_free_block(stalls);                               \
            used = 0;                                                      \
        }                                                                  \
    } while (0)
    for (uint64_t pass = 0; pass < passes; pass++) RUN_PASS(pass, RECORD, NO_WORK);
#undef RECORD
    if (used) hand_over(block, used);
    const uint64_t cpu_ns = thread_cpu_ns() - start_ns;
    atomic_store_explicit(&queue.finished, true, memory_order_release);
    return cpu_ns;
}

int main(int argument_count, char **arguments) {
    if (argument_count < 2 || argument_count > 3) fail(EX_USAGE, "usage: pipeline OUT [PASSES]");
    const uint64_t passes = argument_count == 3 ? parse_count("PASSES", arguments[2], UINT64_C(1000000000)) : 1000000;
    Consumer consumer = {.path = arguments[1], .file = fopen(arguments[1], "wb")};
    if (!consumer.file) fail(EX_CANTCREAT, "%s: cannot create", consumer.path);
    prepare_pass_plans();
    memset(queue.blocks, 0xFF, sizeof queue.blocks); /* page faults before the measurement */

    pthread_t thread;
    if (pthread_create(&thread, NULL, run_consumer, &consumer) != 0) fail(EX_OSERR, "cannot start a thread");
    uint64_t stalls = 0;
    const uint64_t producer_cpu_ns = produce(passes, &stalls);
    pthread_join(thread, NULL);
    if (fclose(consumer.file) != 0) fail(EX_IOERR, "%s: cannot write", consumer.path);

    const double events = (double)(passes * EVENTS_PER_PASS);
    const double producer = (double)producer_cpu_ns / events, drained = (double)consumer.cpu_ns / events;
    printf("{\"events\": %.0f, \"producer_cpu_ns_per_event\": %.3f, \"consumer_cpu_ns_per_event\": %.3f, "
           "\"total_cpu_ns_per_event\": %.3f, \"bytes_per_event\": %.3f, \"stalls\": %llu}\n",
           events, producer, drained, producer + drained, (double)consumer.bytes / events,
           (unsigned long long)stalls);
    return EX_OK;
}
