// The build id of an image, from its notes in memory.
#ifndef RLTRACE_BUILD_ID_H
#define RLTRACE_BUILD_ID_H

#if defined(__linux__)
#include <link.h>
#include <string.h>

enum { RLT_BUILD_ID_MAX = 64 };

// Finds the build id in the notes from `at` to `end`. Sets `bytes` to its length, at most RLT_BUILD_ID_MAX. Returns
// NULL if there is none.
static inline const unsigned char *rlt_find_build_id(const unsigned char *at, const unsigned char *end, size_t *bytes) {
  while ((size_t)(end - at) >= sizeof(ElfW(Nhdr))) {
    const ElfW(Nhdr) *note = (const void *)at;
    const unsigned char *name = at + sizeof *note;
    size_t name_bytes = (note->n_namesz + 3u) & ~3u, value_bytes = (note->n_descsz + 3u) & ~3u;
    if (name_bytes > (size_t)(end - name) || value_bytes > (size_t)(end - name) - name_bytes) return NULL;
    if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && memcmp(name, "GNU", 4) == 0) {
      *bytes = note->n_descsz < RLT_BUILD_ID_MAX ? note->n_descsz : RLT_BUILD_ID_MAX;
      return name + name_bytes;
    }
    at = name + name_bytes + value_bytes;
  }
  return NULL;
}

#endif
#endif
