/* Common command-line behaviour of all references: one line on stderr and a sysexits.h status. */
#ifndef COMMAND_H
#define COMMAND_H

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sysexits.h>

__attribute__((noreturn, format(printf, 2, 3))) static inline void fail(int status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(status);
}

/* Returns a whole number from 1 to `maximum`, or ends the program. */
static inline uint64_t parse_count(const char *name, const char *text, uint64_t maximum) {
    char *end;
    errno = 0;
    const unsigned long long value = strtoull(text, &end, 10);
    if (errno || end == text || *end || *text == '-' || value == 0 || value > maximum)
        fail(EX_USAGE, "%s: expected a whole number from 1 to %llu, got '%s'", name, (unsigned long long)maximum, text);
    return value;
}

static inline void *allocate(size_t bytes) {
    void *memory = calloc(1, bytes);
    if (!memory) fail(EX_OSERR, "out of memory (%zu bytes)", bytes);
    return memory;
}

#endif
