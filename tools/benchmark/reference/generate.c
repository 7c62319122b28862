/* Writes workload files.
 *
 *   generate paced  OUT PASSES        runs the workload in real time: about 65 µs per pass
 *   generate mix    OUT PACED         drops pairs of events and joins passes of PACED
 *   generate repeat OUT ROWS TIMES    repeats ROWS, with each copy later than the one before
 */
#define _GNU_SOURCE
#include "clocks.h"
#include "command.h"
#include "rows_file.h"
#include "workload.h"

enum { ROWS_PER_READ = 65536 };

static void generate_paced(const char *path, uint64_t passes) {
    RowsWriter writer = open_rows_writer(path); /* opened first, so that a bad path is reported at once */
    const uint64_t count = passes * EVENTS_PER_PASS;
    TraceRow *rows = allocate(count * sizeof *rows);
    memset(rows, 0xFF, count * sizeof *rows); /* page faults happen now instead of between events */
    uint32_t *steps = plan_work(passes);
    if (!steps) fail(EX_OSERR, "out of memory");
    prepare_pass_plans();
    TraceRow *next_row = rows;
    const uint32_t *next_steps = steps;
#define STAMP(kind, mode, object) store_row(next_row++, monotonic_ns(), kind, mode, object)
#define WORK() do_work(*next_steps++)
    for (uint64_t pass = 0; pass < passes; pass++) RUN_PASS(pass, STAMP, WORK);
#undef STAMP
#undef WORK
    write_rows(&writer, rows, count);
    finish_rows_writer(&writer);
    free(steps);
    free(rows);
}

/* The parts that mix leaves out of one pass. */
typedef struct {
    int source, timer, wait, start;
} Omissions;

static int happens(uint64_t *state, unsigned percent) { return next_random(state) % 100 < percent; }

/* A pass without BeforeTimers and BeforeSources continues the pass before it. */
static Omissions next_omissions(uint64_t *state) {
    Omissions omissions;
    omissions.source = happens(state, 30);
    omissions.timer = happens(state, 45);
    omissions.wait = happens(state, 20);
    omissions.start = happens(state, 15);
    return omissions;
}

static int is_omitted(EventKind kind, const Omissions *omissions) {
    switch (kind) {
    case BEFORE_TIMERS:
    case BEFORE_SOURCES: return omissions->start;
    case SOURCE0_BEGIN:
    case SOURCE0_END: return omissions->source;
    case BEFORE_WAITING:
    case AFTER_WAITING: return omissions->wait;
    case TIMER_BEGIN:
    case TIMER_END: return omissions->timer;
    default: return 0;
    }
}

/* Goes by kinds instead of positions, so that rows recorded elsewhere can be mixed too. */
static void generate_mix(const char *path, const char *paced_path) {
    static TraceRow rows[ROWS_PER_READ], kept[ROWS_PER_READ];
    FILE *paced = open_rows(paced_path);
    RowsWriter writer = open_rows_writer(path);
    uint64_t state = 99;
    Omissions omissions = {0, 0, 0, 0};
    for (size_t count; (count = read_rows(paced, paced_path, rows, ROWS_PER_READ)) > 0;) {
        size_t kept_count = 0;
        for (size_t row = 0; row < count; row++) {
            if (rows[row].kind == BEFORE_TIMERS) omissions = next_omissions(&state);
            if (!is_omitted(rows[row].kind, &omissions)) kept[kept_count++] = rows[row];
        }
        write_rows(&writer, kept, kept_count);
    }
    finish_rows_writer(&writer);
    fclose(paced);
}

static void generate_repeat(const char *path, const char *rows_path, uint64_t times) {
    const uint64_t gap_ns = 1000;
    uint64_t count;
    TraceRow *rows = load_rows(rows_path, &count);
    RowsWriter writer = open_rows_writer(path);
    const uint64_t period_ns = rows[count - 1].time_ns - rows[0].time_ns + gap_ns;
    for (uint64_t copy = 0; copy < times; copy++) {
        write_rows(&writer, rows, count);
        for (uint64_t row = 0; row < count; row++) rows[row].time_ns += period_ns;
    }
    finish_rows_writer(&writer);
    free(rows);
}

int main(int argument_count, char **arguments) {
    const char *workload = argument_count > 1 ? arguments[1] : "";
    if (argument_count == 4 && strcmp(workload, "paced") == 0)
        generate_paced(arguments[2], parse_count("PASSES", arguments[3], 1000000000));
    else if (argument_count == 4 && strcmp(workload, "mix") == 0)
        generate_mix(arguments[2], arguments[3]);
    else if (argument_count == 5 && strcmp(workload, "repeat") == 0)
        generate_repeat(arguments[2], arguments[3], parse_count("TIMES", arguments[4], 1000000));
    else
        fail(EX_USAGE, "usage: generate paced OUT PASSES | mix OUT PACED | repeat OUT ROWS TIMES");
    return EX_OK;
}
