// The files that are embedded in rltrace: templates, styles and scripts of pages, scenarios, cause rules, reference
// pages.
#ifndef RLTRACE_FILES_H
#define RLTRACE_FILES_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
  const char *name;
  const uint8_t *bytes;
  size_t count;
} rlt_file;

// Returns the file with this name; NULL if there is none. The name has no folder. O(files).
const rlt_file *rlt_file_named(const char *name);

#endif
