#define _GNU_SOURCE
#include "workload.h"

#include <math.h>
#include <stdlib.h>

#include "clocks.h"

enum { PASSES_PER_MODE_CHANGE = 2000, MODES = 3 };

PassPlan pass_plans[PASS_PLANS];

/* Returns a uniform number in (0, 1), never 0 or 1, so that its logarithm is finite. */
static double next_uniform(uint64_t *state) {
    return ((double)(next_random(state) >> 11) + 0.5) * 0x1p-53;
}

/* Zipf's law with exponent 1: the share of rank r is proportional to 1 / (r + 1). */
static void fill_zipf_cumulative(double *cumulative, int ranks) {
    double total = 0;
    for (int rank = 0; rank < ranks; rank++) {
        total += 1.0 / (rank + 1);
        cumulative[rank] = total;
    }
    for (int rank = 0; rank < ranks; rank++) cumulative[rank] /= total;
}

static uint8_t next_zipf(uint64_t *state, const double *cumulative, int ranks) {
    const double uniform = next_uniform(state);
    int rank = 0;
    while (rank < ranks - 1 && cumulative[rank] < uniform) rank++;
    return (uint8_t)rank;
}

void prepare_pass_plans(void) {
    double source_cumulative[SOURCES], timer_cumulative[TIMERS];
    fill_zipf_cumulative(source_cumulative, SOURCES);
    fill_zipf_cumulative(timer_cumulative, TIMERS);
    uint64_t state = 42;
    uint8_t mode = 0;
    for (int pass = 0; pass < PASS_PLANS; pass++) {
        if (next_random(&state) % PASSES_PER_MODE_CHANGE == 0) mode = (uint8_t)(next_random(&state) % MODES);
        pass_plans[pass].source = next_zipf(&state, source_cumulative, SOURCES);
        pass_plans[pass].timer = next_zipf(&state, timer_cumulative, TIMERS);
        pass_plans[pass].mode = mode;
    }
}

/* The time after each event of a pass: callouts of microseconds, waits with the largest variation, and the loop's
 * own bookkeeping between them. */
static const struct {
    double median_ns, sigma;
} gap_after[EVENTS_PER_PASS] = {
    [BEFORE_TIMERS] = {80, 0.35},   [BEFORE_SOURCES] = {250, 0.5},   [SOURCE0_BEGIN] = {4000, 1.0},
    [SOURCE0_END] = {300, 0.5},     [BEFORE_WAITING] = {15000, 1.5}, [AFTER_WAITING] = {400, 0.5},
    [TIMER_BEGIN] = {6000, 1.0},    [TIMER_END] = {120, 0.4},
};

static double next_normal(uint64_t *state) { /* Box-Muller */
    const double radius = sqrt(-2 * log(next_uniform(state)));
    return radius * cos(2 * acos(-1) * next_uniform(state));
}

static double calibrate_ns_per_step(void) {
    const uint32_t warm_up_steps = 1000000, steps = 20000000;
    do_work(warm_up_steps);
    const uint64_t start_ns = monotonic_ns();
    do_work(steps);
    return (double)(monotonic_ns() - start_ns) / steps;
}

uint32_t *plan_work(uint64_t passes) {
    const uint64_t gaps = passes * EVENTS_PER_PASS;
    uint32_t *steps = calloc(gaps, sizeof *steps);
    if (!steps) return NULL;
    const double ns_per_step = calibrate_ns_per_step();
    uint64_t state = 7;
    for (uint64_t gap = 0; gap < gaps; gap++) {
        const int event = (int)(gap % EVENTS_PER_PASS);
        const double gap_ns = gap_after[event].median_ns * exp(gap_after[event].sigma * next_normal(&state));
        steps[gap] = (uint32_t)(gap_ns / ns_per_step + 0.5);
    }
    return steps;
}
