// The addresses of an image that the loader found.
#ifndef RLTRACE_IMAGE_RANGE_H
#define RLTRACE_IMAGE_RANGE_H

#include <dlfcn.h>

#if defined(DLFO_STRUCT_HAS_EH_DBASE)

#include <link.h>
#include <stdint.h>
#include <sys/auxv.h>

typedef struct {
  const uint8_t *start, *end;
} rlt_image_range;

// For a program with gaps between its segments, the loader gives only the range of the segment that it was asked for.
static inline rlt_image_range rlt_range_of(const struct dl_find_object *object) {
  rlt_image_range found = {object->dlfo_map_start, object->dlfo_map_end};
  if (*object->dlfo_link_map->l_name != 0) return found;
  rlt_image_range program = found;
  int has_segment = 0;
  const ElfW(Phdr) *segments = (const void *)getauxval(AT_PHDR);
  for (unsigned long i = 0, count = segments == NULL ? 0 : getauxval(AT_PHNUM); i < count; i++) {
    if (segments[i].p_type != PT_LOAD) continue;
    uintptr_t at = object->dlfo_link_map->l_addr + segments[i].p_vaddr;
    const uint8_t *start = (const uint8_t *)(at - at % getauxval(AT_PAGESZ));
    const uint8_t *end = (const uint8_t *)(at + segments[i].p_memsz);
    if (start <= found.start && end >= found.end) has_segment = 1;
    if (start < program.start) program.start = start;
    if (end > program.end) program.end = end;
  }
  // If the loader itself was started with the program's name, the kernel gives the loader's segments.
  return has_segment ? program : found;
}

#endif
#endif
