#define _GNU_SOURCE
#include "rows_file.h"

#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"

/* The file that is removed if a signal ends the program. Only one file is written at a time. */
static const char *volatile unfinished_path;

static void remove_unfinished(int signal_number) {
    if (unfinished_path) unlink(unfinished_path);
    _exit(128 + signal_number);
}

RowsWriter open_rows_writer(const char *path) {
    const size_t capacity = strlen(path) + 32;
    RowsWriter writer = {.path = path, .temporary_path = allocate(capacity)};
    snprintf(writer.temporary_path, capacity, "%s.partial.%ld", path, (long)getpid());
    unfinished_path = writer.temporary_path;
    signal(SIGINT, remove_unfinished);
    signal(SIGTERM, remove_unfinished);
    writer.stream = fopen(writer.temporary_path, "wb");
    if (!writer.stream) fail(EX_CANTCREAT, "%s: cannot create: %s", writer.temporary_path, strerror(errno));
    return writer;
}

static void abandon(RowsWriter *writer) {
    const int error = errno;
    unlink(writer->temporary_path);
    fail(EX_IOERR, "%s: cannot write: %s", writer->path, strerror(error));
}

void write_rows(RowsWriter *writer, const TraceRow *rows, size_t count) {
    if (fwrite(rows, sizeof *rows, count, writer->stream) != count) abandon(writer);
}

void finish_rows_writer(RowsWriter *writer) {
    if (fclose(writer->stream) != 0) abandon(writer);
    if (rename(writer->temporary_path, writer->path) != 0) abandon(writer);
    unfinished_path = NULL;
    free(writer->temporary_path);
}

FILE *open_rows(const char *path) {
    FILE *stream = fopen(path, "rb");
    struct stat status;
    if (!stream || fstat(fileno(stream), &status) != 0)
        fail(EX_NOINPUT, "%s: cannot open: %s", path, strerror(errno));
    if (!S_ISREG(status.st_mode)) fail(EX_NOINPUT, "%s: not a regular file", path);
    if (status.st_size == 0 || status.st_size % (off_t)sizeof(TraceRow) != 0)
        fail(EX_DATAERR, "%s: %lld bytes are not a whole, positive number of 16-byte rows", path,
             (long long)status.st_size);
    return stream;
}

size_t read_rows(FILE *stream, const char *path, TraceRow *rows, size_t capacity) {
    const size_t count = fread(rows, sizeof *rows, capacity, stream);
    if (ferror(stream)) fail(EX_IOERR, "%s: cannot read: %s", path, strerror(errno));
    for (size_t row = 0; row < count; row++)
        if (rows[row].kind >= EVENT_KINDS)
            fail(EX_DATAERR, "%s: a row has kind %d, the largest kind is %d", path, rows[row].kind, EVENT_KINDS - 1);
    return count;
}

TraceRow *load_rows(const char *path, uint64_t *count) {
    FILE *stream = open_rows(path);
    struct stat status;
    if (fstat(fileno(stream), &status) != 0) fail(EX_IOERR, "%s: %s", path, strerror(errno));
    const size_t expected = (size_t)status.st_size / sizeof(TraceRow);
    TraceRow *rows = allocate(expected * sizeof(TraceRow));
    *count = read_rows(stream, path, rows, expected);
    fclose(stream);
    if (*count != expected) fail(EX_IOERR, "%s: became shorter while being read", path);
    return rows;
}
