/* Calls an instrumented function and prints the cost of a record for the thread as one JSON object. uftrace
 * writes one record when the function is entered and one when it returns.
 *
 *   uftrace-calls CALLS
 */
#include "clocks.h"
#include "command.h"

enum { RECORDS_PER_CALL = 2 };

static volatile uint32_t object;

__attribute__((noinline)) static void handle_event(uint32_t event) { object = event; }

int main(int argument_count, char **arguments) {
    if (argument_count != 2) fail(EX_USAGE, "usage: uftrace-calls CALLS");
    const uint64_t calls = parse_count("CALLS", arguments[1], UINT64_C(1000000000));
    const uint64_t start_ns = thread_cpu_ns();
    for (uint64_t call = 0; call < calls; call++) handle_event((uint32_t)call);
    const uint64_t cpu_ns = thread_cpu_ns() - start_ns;
    printf("{\"records\": %llu, \"cpu_ns_per_record\": %.3f}\n", (unsigned long long)(calls * RECORDS_PER_CALL),
           (double)cpu_ns / (double)(calls * RECORDS_PER_CALL));
    return EX_OK;
}
