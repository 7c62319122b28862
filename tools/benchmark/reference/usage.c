/* Runs a command, discards its output and prints its cost as one JSON object.
 *
 *   usage COMMAND [ARGUMENT …]
 *
 * A C program instead of a short script, because Linux includes the memory of the forking process in
 * the peak of the child: a script's interpreter would be the minimum of every figure.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clocks.h"
#include "command.h"

#ifdef __APPLE__
enum { MAXRSS_UNIT_BYTES = 1 };
#else
enum { MAXRSS_UNIT_BYTES = 1024 };
#endif

static double seconds(struct timeval time) { return (double)time.tv_sec + (double)time.tv_usec * 1e-6; }

static void become(char **command) {
    const int null_device = open("/dev/null", O_WRONLY);
    if (null_device >= 0) dup2(null_device, STDOUT_FILENO);
    execvp(command[0], command);
    fprintf(stderr, "%s: cannot run: %s\n", command[0], strerror(errno));
    _exit(errno == ENOENT ? 127 : 126);
}

int main(int argument_count, char **arguments) {
    if (argument_count < 2) fail(EX_USAGE, "usage: usage COMMAND [ARGUMENT …]");
    const uint64_t start_ns = monotonic_ns();
    const pid_t child = fork();
    if (child < 0) fail(EX_OSERR, "cannot fork: %s", strerror(errno));
    if (child == 0) become(arguments + 1);

    int status;
    struct rusage usage;
    if (wait4(child, &status, 0, &usage) != child) fail(EX_OSERR, "cannot wait: %s", strerror(errno));
    const double wall_seconds = (double)(monotonic_ns() - start_ns) * 1e-9;
    if (WIFSIGNALED(status)) fail(128 + WTERMSIG(status), "%s: ended by signal %d", arguments[1], WTERMSIG(status));
    if (WEXITSTATUS(status) != 0) return WEXITSTATUS(status); /* the command reported the reason on stderr */
    printf("{\"cpu_seconds\": %.6f, \"wall_seconds\": %.6f, \"peak_rss_bytes\": %lld}\n",
           seconds(usage.ru_utime) + seconds(usage.ru_stime), wall_seconds,
           (long long)usage.ru_maxrss * MAXRSS_UNIT_BYTES);
    return EX_OK;
}
