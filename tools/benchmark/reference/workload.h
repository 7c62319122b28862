/* The benchmark's workload: a run loop's event stream, eight events per pass.
 *
 *   paced   real clock stamps with real work of lognormal length between events: sizes and reading speed
 *   mix     paced with pairs of events dropped and passes joined: less regular, more realistic
 *   tight   the same events without work between them: the cost of recording
 *
 * Objects follow Zipf's law and the mode rarely changes, as in apps.
 *
 * A workload file is a sequence of 16-byte little-endian rows, in time order:
 *
 *   offset  size  field
 *        0     8  time_ns    monotonic clock
 *        8     4  object     the loop, the source or the timer
 *       12     1  kind       EventKind
 *       13     1  mode
 *       14     2  reserved   0
 */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include <stdint.h>
#include <string.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "rows are little-endian and are stored as they lie in memory"
#endif

typedef enum {
    BEFORE_TIMERS,
    BEFORE_SOURCES,
    SOURCE0_BEGIN,
    SOURCE0_END,
    BEFORE_WAITING,
    AFTER_WAITING,
    TIMER_BEGIN,
    TIMER_END,
    EVENT_KINDS
} EventKind;

enum { EVENTS_PER_PASS = 8 };

typedef struct {
    uint64_t time_ns;
    uint32_t object;
    uint8_t kind;
    uint8_t mode;
    uint16_t reserved;
} TraceRow;

_Static_assert(sizeof(TraceRow) == 16, "a row is 16 bytes");

/* Two whole words instead of five fields: compilers do not reliably merge narrow stores. */
static inline void store_row(TraceRow *row, uint64_t time, EventKind kind, uint8_t mode, uint32_t object) {
    uint64_t words[2] = {time, (uint64_t)object | (uint64_t)kind << 32 | (uint64_t)mode << 40};
    memcpy(row, words, sizeof words);
    __asm__ volatile("" ::: "memory"); /* forces the store of every row */
}

/* The values that differ from pass to pass. */
typedef struct {
    uint8_t source;
    uint8_t timer;
    uint8_t mode;
} PassPlan;

enum {
    PASS_PLANS = 65536, /* passes before the plan repeats */
    SOURCES = 64,
    TIMERS = 192,
    LOOP_OBJECT = 1,
    FIRST_SOURCE_OBJECT = 16,
    FIRST_TIMER_OBJECT = 256,
};

extern PassPlan pass_plans[PASS_PLANS];

/* Fills pass_plans, with the same values on every machine and in every run. */
void prepare_pass_plans(void);

/* Returns the steps of do_work after each event of `passes` passes, lognormal in time. The step is calibrated on
 * this machine. The caller frees the array; NULL when memory is short. */
uint32_t *plan_work(uint64_t passes);

/* Runs one pass. EMIT(kind, mode, object) and WORK() are the caller's macros, so that the events become
 * straight-line code in every measured recorder. */
#define RUN_PASS(pass, EMIT, WORK)                                               \
    do {                                                                         \
        const PassPlan plan_ = pass_plans[(pass) & (PASS_PLANS - 1)];            \
        const uint32_t source_ = FIRST_SOURCE_OBJECT + (uint32_t)plan_.source;   \
        const uint32_t timer_ = FIRST_TIMER_OBJECT + (uint32_t)plan_.timer;      \
        EMIT(BEFORE_TIMERS, plan_.mode, LOOP_OBJECT);                            \
        WORK();                                                                  \
        EMIT(BEFORE_SOURCES, plan_.mode, LOOP_OBJECT);                           \
        WORK();                                                                  \
        EMIT(SOURCE0_BEGIN, plan_.mode, source_);                                \
        WORK();                                                                  \
        EMIT(SOURCE0_END, plan_.mode, source_);                                  \
        WORK();                                                                  \
        EMIT(BEFORE_WAITING, plan_.mode, LOOP_OBJECT);                           \
        WORK();                                                                  \
        EMIT(AFTER_WAITING, plan_.mode, LOOP_OBJECT);                            \
        WORK();                                                                  \
        EMIT(TIMER_BEGIN, plan_.mode, timer_);                                   \
        WORK();                                                                  \
        EMIT(TIMER_END, plan_.mode, timer_);                                     \
        WORK();                                                                  \
    } while (0)

#define NO_WORK() ((void)0)

/* Performs dependent arithmetic steps that the compiler cannot shorten. */
static inline void do_work(uint32_t steps) {
    uint64_t state = UINT64_C(88172645463325252) ^ steps;
    for (uint32_t step = 0; step < steps; step++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        __asm__ volatile("" : "+r"(state));
    }
}

/* SplitMix64: small, seedable, the same everywhere. */
static inline uint64_t next_random(uint64_t *state) {
    uint64_t value = (*state += UINT64_C(0x9E3779B97F4A7C15));
    value = (value ^ (value >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    value = (value ^ (value >> 27)) * UINT64_C(0x94D049BB133111EB);
    return value ^ (value >> 31);
}

#endif
