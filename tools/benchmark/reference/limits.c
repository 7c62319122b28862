/* Measures the physical limit of recording on one thread: the cost of a clock read and one 16-byte store
 * without anything else on the path. Prints one JSON object per line.
 *
 *   limits [PASSES]
 */
#define _GNU_SOURCE
#include "clocks.h"
#include "command.h"
#include "workload.h"

/* The ring stays in the first- or second-level cache, which is the best case for a recorder. */
enum { RING_BYTES = 65536, RING_ROWS = RING_BYTES / sizeof(TraceRow), REPETITIONS = 5 };

static _Alignas(4096) TraceRow ring[RING_ROWS];

static double ns_per_event(uint64_t start_ns, uint64_t passes) {
    return (double)(thread_cpu_ns() - start_ns) / (double)(passes * EVENTS_PER_PASS);
}

static double record_with_cycle_counter(uint64_t passes) {
#define RECORD(kind, mode, object) store_row(&ring[head++ % RING_ROWS], cycle_counter(), kind, mode, object)
    uint64_t head = 0;
    const uint64_t start_ns = thread_cpu_ns();
    for (uint64_t pass = 0; pass < passes; pass++) RUN_PASS(pass, RECORD, NO_WORK);
    return ns_per_event(start_ns, passes);
#undef RECORD
}

static double record_with_clock_gettime(uint64_t passes) {
#define RECORD(kind, mode, object) store_row(&ring[head++ % RING_ROWS], monotonic_ns(), kind, mode, object)
    uint64_t head = 0;
    const uint64_t start_ns = thread_cpu_ns();
    for (uint64_t pass = 0; pass < passes; pass++) RUN_PASS(pass, RECORD, NO_WORK);
    return ns_per_event(start_ns, passes);
#undef RECORD
}

static const struct {
    const char *name;
    double (*record)(uint64_t passes);
} limits[] = {
    {"cycle counter + store", record_with_cycle_counter},
    {"clock_gettime + store", record_with_clock_gettime},
};

enum { LIMITS = sizeof limits / sizeof *limits };

int main(int argument_count, char **arguments) {
    if (argument_count > 2) fail(EX_USAGE, "usage: limits [PASSES]");
    const uint64_t passes = argument_count == 2 ? parse_count("PASSES", arguments[1], UINT64_C(1000000000)) : 1000000;
    double costs[LIMITS][REPETITIONS];
    prepare_pass_plans();
    for (int repetition = -1; repetition < REPETITIONS; repetition++) /* the first repetition only warms up */
        for (int limit = 0; limit < LIMITS; limit++) {
            const double cost = limits[limit].record(passes / REPETITIONS + 1);
            if (repetition >= 0) costs[limit][repetition] = cost;
        }
    for (int limit = 0; limit < LIMITS; limit++)
        printf("{\"limit\": \"%s\", \"cpu_ns_per_event\": %.3f}\n", limits[limit].name,
               median(costs[limit], REPETITIONS));
    return EX_OK;
}
