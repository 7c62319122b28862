/* Emits the benchmark's workload through LTTng-UST and prints the traced thread's cost as one JSON object.
 *
 *   lttng-producer tight WARM_UP_PASSES PASSES     the warm-up first touches every page of the buffers
 *   lttng-producer paced PASSES                    in real time, for a trace to read; no cost
 */
#define _GNU_SOURCE
#include <unistd.h>

#include "clocks.h"
#include "command.h"
#include "lttng-provider.h"
#include "workload.h"

enum { DRAIN_SECONDS = 1 }; /* time for the consumer daemon to empty the buffers after the warm-up */

#define TRACE(kind, mode, object) lttng_ust_tracepoint(runloop, event, kind, mode, object)

static void emit_tight(uint64_t passes) {
    for (uint64_t pass = 0; pass < passes; pass++) RUN_PASS(pass, TRACE, NO_WORK);
}

static void emit_paced(uint64_t passes) {
    uint32_t *steps = plan_work(passes);
    if (!steps) fail(EX_OSERR, "out of memory");
    const uint32_t *next_steps = steps;
#define WORK() do_work(*next_steps++)
    for (uint64_t pass = 0; pass < passes; pass++) RUN_PASS(pass, TRACE, WORK);
#undef WORK
    free(steps);
}

int main(int argument_count, char **arguments) {
    const uint64_t passes_max = UINT64_C(1000000000);
    const char *workload = argument_count > 1 ? arguments[1] : "";
    prepare_pass_plans();
    if (argument_count == 3 && strcmp(workload, "paced") == 0) {
        const uint64_t passes = parse_count("PASSES", arguments[2], passes_max);
        emit_paced(passes);
        printf("{\"events\": %llu}\n", (unsigned long long)(passes * EVENTS_PER_PASS));
        return EX_OK;
    }
    if (argument_count != 4 || strcmp(workload, "tight") != 0)
        fail(EX_USAGE, "usage: lttng-producer tight WARM_UP_PASSES PASSES | paced PASSES");

    const uint64_t warm_up_passes = parse_count("WARM_UP_PASSES", arguments[2], passes_max);
    const uint64_t passes = parse_count("PASSES", arguments[3], passes_max);
    emit_tight(warm_up_passes);
    sleep(DRAIN_SECONDS);
    const uint64_t start_ns = thread_cpu_ns();
    emit_tight(passes);
    const uint64_t cpu_ns = thread_cpu_ns() - start_ns;
    printf("{\"events\": %llu, \"traced_cpu_ns_per_event\": %.3f}\n",
           (unsigned long long)((warm_up_passes + passes) * EVENTS_PER_PASS),
           (double)cpu_ns / (double)(passes * EVENTS_PER_PASS));
    return EX_OK;
}
