/* Workload files. They are read completely into memory, and written under a temporary name and then renamed, so
 * that a file with the final name is always complete. */
#ifndef ROWS_FILE_H
#define ROWS_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "workload.h"

typedef struct {
    FILE *stream;
    const char *path;
    char *temporary_path;
} RowsWriter;

/* These functions end the program with a message when they fail. */
RowsWriter open_rows_writer(const char *path);
void write_rows(RowsWriter *writer, const TraceRow *rows, size_t count);
void finish_rows_writer(RowsWriter *writer);

FILE *open_rows(const char *path);
/* Reads up to `capacity` rows. Returns 0 at the end of the file. */
size_t read_rows(FILE *stream, const char *path, TraceRow *rows, size_t capacity);
/* Reads all rows and checks their kinds. The caller frees the array. */
TraceRow *load_rows(const char *path, uint64_t *count);

#endif
