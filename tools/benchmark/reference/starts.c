/* Measures how long a command takes from start to end, as it is and with additional environment variables. Prints
 * one JSON object.
 *
 *   starts VARIABLES COUNT COMMAND [ARGUMENT …]
 *
 * VARIABLES is a file with one NAME=VALUE per line. The two ways alternate; the figures are medians of COUNT runs.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clocks.h"
#include "command.h"

enum { VARIABLES_MAX = 64, LINE_BYTES_MAX = 4096 };

/* Returns the environment of this process, followed by the lines of a file. */
static char **environment_with(const char *path) {
    FILE *file = fopen(path, "r");
    if (!file) fail(EX_NOINPUT, "%s: %s", path, strerror(errno));
    size_t count = 0;
    while (environ[count]) count++;
    char **variables = allocate((count + VARIABLES_MAX + 1) * sizeof *variables);
    memcpy(variables, environ, count * sizeof *variables);
    char line[LINE_BYTES_MAX];
    for (int number = 0; number < VARIABLES_MAX && fgets(line, sizeof line, file); number++) {
        line[strcspn(line, "\n")] = 0;
        variables[count++] = strdup(line);
    }
    fclose(file);
    return variables;
}

static double run_ns(char **command, char **environment, const posix_spawn_file_actions_t *actions) {
    pid_t child;
    int status;
    const uint64_t start_ns = monotonic_ns();
    const int problem = posix_spawnp(&child, command[0], actions, NULL, command, environment);
    if (problem) fail(EX_OSERR, "%s: %s", command[0], strerror(problem));
    if (waitpid(child, &status, 0) != child) fail(EX_OSERR, "cannot wait: %s", strerror(errno));
    const uint64_t end_ns = monotonic_ns();
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) fail(EX_SOFTWARE, "%s: failed", command[0]);
    return (double)(end_ns - start_ns);
}

int main(int argument_count, char **arguments) {
    if (argument_count < 4) fail(EX_USAGE, "usage: starts VARIABLES COUNT COMMAND [ARGUMENT …]");
    char **more = environment_with(arguments[1]);
    const int count = (int)parse_count("COUNT", arguments[2], 100000);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);

    double *alone = allocate((size_t)count * sizeof *alone), *with = allocate((size_t)count * sizeof *with);
    run_ns(arguments + 3, environ, &actions); /* loads the files into the page cache */
    run_ns(arguments + 3, more, &actions);
    for (int i = 0; i < count; i++) {
        alone[i] = run_ns(arguments + 3, environ, &actions);
        with[i] = run_ns(arguments + 3, more, &actions);
    }
    printf("{\"alone_ms\": %.6f, \"with_ms\": %.6f}\n", median(alone, count) * 1e-6, median(with, count) * 1e-6);
    return EX_OK;
}
