/* Measures the CPU time of a pass of an event loop that a wake-up ends: epoll_wait, then a read and a write of an
 * eventfd. Prints one JSON object.
 *
 *   epoll PASSES THREADS
 *
 * THREADS: 1, or 2 for an idle thread beside the loop. System calls of a program with one thread take less time.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "clocks.h"
#include "command.h"

#ifdef __linux__
#include <sys/epoll.h>
#include <sys/eventfd.h>

enum { WARM_UP_PASSES = 1000 };

static void run_passes(int set, int event, uint64_t passes) {
    for (uint64_t i = 0; i < passes; i++) {
        struct epoll_event found;
        eventfd_t value;
        if (epoll_wait(set, &found, 1, -1) != 1 || eventfd_read(event, &value) != 0 || eventfd_write(event, 1) != 0)
            fail(EX_OSERR, "a pass failed: %s", strerror(errno));
    }
}

static void *rest(void *unused) {
    while (pause() != 0) continue;
    return unused;
}

int main(int argument_count, char **arguments) {
    if (argument_count != 3) fail(EX_USAGE, "usage: epoll PASSES THREADS");
    const uint64_t passes = parse_count("PASSES", arguments[1], 1000000000);
    pthread_t idle;
    if (parse_count("THREADS", arguments[2], 2) == 2 && pthread_create(&idle, NULL, rest, NULL) != 0)
        fail(EX_OSERR, "cannot start a thread");
    const int set = epoll_create1(0), event = eventfd(1, EFD_NONBLOCK);
    struct epoll_event wanted = {.events = EPOLLIN, .data.fd = event};
    if (set < 0 || event < 0 || epoll_ctl(set, EPOLL_CTL_ADD, event, &wanted) != 0)
        fail(EX_OSERR, "cannot make an event loop: %s", strerror(errno));
    run_passes(set, event, WARM_UP_PASSES);
    const uint64_t start_ns = thread_cpu_ns();
    run_passes(set, event, passes);
    printf("{\"cpu_ns_per_pass\": %.3f}\n", (double)(thread_cpu_ns() - start_ns) / (double)passes);
    return EX_OK;
}
#else
int main(void) { fail(EX_UNAVAILABLE, "epoll exists on Linux only"); }
#endif
