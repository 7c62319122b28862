#define _GNU_SOURCE
#include "rltrace_stack_images.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "rltrace_build_id.h"
#include "rltrace_emit.h"
#include "rltrace_macho.h"
#include "rltrace_vocabulary.h"

#if defined(DLFO_STRUCT_HAS_EH_DBASE) || defined(__APPLE__)

enum { IMAGES_MAX = 1024 };

static uint64_t starts[IMAGES_MAX];
static size_t count;

void rlt_forget_images(void) { count = 0; }

// Returns whether the image that starts here was not noted yet, and notes it.
static int is_new(uint64_t start) {
  for (size_t i = 0; i < count; i++)
    if (starts[i] == start) return 0;
  if (count == IMAGES_MAX) return 0;
  starts[count++] = start;
  return 1;
}

static void copy_digits(const unsigned char *id, size_t bytes, char *digits) {
  for (size_t byte = 0; byte < bytes; byte++) snprintf(digits + 2 * byte, 3, "%02x", id[byte]);
}

static uint32_t string_id(const char *text) {
  return *text == 0 ? 0 : rlt_spool_append_string(rlt_current_spool(), RLT_NAME_STRING, text, strlen(text));
}

static void emit_image(const char *path, uint64_t start, uint64_t bytes, const char *digits) {
  const uint64_t arguments[] = {string_id(path), start, bytes, string_id(digits)};
  rlt_emit_arguments(RLT_KIND_IMAGE_MAP, 0, 0, arguments, sizeof arguments / sizeof *arguments);
}

#endif

#if defined(DLFO_STRUCT_HAS_EH_DBASE)

#include "image_range.h"

extern int _dl_find_object(void *address, struct dl_find_object *found) __attribute__((weak, visibility("default")));

// Copies the build id as hexadecimal digits, from the image's notes in memory. Leaves an empty string if there is
// none.
static void copy_build_id(const unsigned char *start, const unsigned char *end, uint64_t bias, char *digits) {
  *digits = 0;
  const ElfW(Ehdr) *header = (const void *)start;
  if ((size_t)(end - start) < sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return;
  if (header->e_phoff > (size_t)(end - start)
      || header->e_phnum > ((size_t)(end - start) - header->e_phoff) / sizeof(ElfW(Phdr)))
    return;
  const ElfW(Phdr) *segments = (const void *)(start + header->e_phoff);
  for (int i = 0; i < header->e_phnum; i++) {
    if (segments[i].p_type != PT_NOTE) continue;
    const unsigned char *at = (const unsigned char *)(uintptr_t)(bias + segments[i].p_vaddr);
    if (at < start || at > end || segments[i].p_memsz > (size_t)(end - at)) continue;
    size_t bytes;
    const unsigned char *id = rlt_find_build_id(at, at + segments[i].p_memsz, &bytes);
    if (id == NULL) continue;
    copy_digits(id, bytes, digits);
    return;
  }
}

void rlt_note_image(uint64_t address) {
  struct dl_find_object object;
  if (_dl_find_object == NULL || _dl_find_object((void *)(uintptr_t)address, &object) != 0) return;
  rlt_image_range range = rlt_range_of(&object);
  uint64_t start = (uint64_t)(uintptr_t)range.start;
  if (!is_new(start)) return;
  uint64_t bias = object.dlfo_link_map->l_addr;
  char path[PATH_MAX], digits[2 * RLT_BUILD_ID_MAX + 1];
  // The loader has no name for the program itself.
  ssize_t length = *object.dlfo_link_map->l_name == 0 ? readlink("/proc/self/exe", path, sizeof path - 1) : -1;
  if (length >= 0) path[length] = 0;
  else snprintf(path, sizeof path, "%s", object.dlfo_link_map->l_name);
  copy_build_id(range.start, range.end, bias, digits);
  emit_image(path, start, (uint64_t)(range.end - range.start), digits);
}

#elif defined(__APPLE__)

enum { HEADER_MAX = 64 << 10 };

// The build id of a Mach-O image is its UUID. Compiled for Apple's systems, not run.
void rlt_note_image(uint64_t address) {
  Dl_info found;
  if (dladdr((void *)(uintptr_t)address, &found) == 0 || found.dli_fbase == NULL) return;
  uint64_t start = (uint64_t)(uintptr_t)found.dli_fbase;
  if (!is_new(start)) return;
  size_t size = rlt_macho_header_bytes(found.dli_fbase);
  rlt_macho_facts facts;
  if (size == 0 || size > HEADER_MAX || !rlt_read_macho(found.dli_fbase, size, &facts)) return;
  char digits[2 * sizeof facts.uuid + 1] = "";
  if (facts.has_uuid) copy_digits(facts.uuid, sizeof facts.uuid, digits);
  emit_image(found.dli_fname, start, facts.text_bytes, digits);
}

#else

// For C libraries without a lock-free query.
void rlt_note_image(uint64_t address) { (void)address; }
void rlt_forget_images(void) {}

#endif
