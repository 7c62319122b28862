#include "images.h"

#include "rltrace_build_id.h"

enum { IMAGES_MAX = 512 };

typedef struct {
  uintptr_t bias, start, end;  // of all segments
  uintptr_t code_start, code_end;
  int is_system;
  int is_logged;
  uint32_t build_id_bytes;
  uint8_t build_id[RLT_BUILD_ID_MAX];
  char path[PATH_MAX];
} image;

// The table only grows, so readers need no lock: `count` is stored last.
static image *images;
static uint32_t image_count;
static int has_dispatch;
static unsigned long long seen_adds;  // as in dl_iterate_phdr: the number of libraries ever loaded

// The loader does not know the program's own path.
static char program_path[PATH_MAX];

void rlp_know_program(void) {
  ssize_t length = readlink("/proc/self/exe", program_path, sizeof program_path - 1);
  program_path[length > 0 ? length : 0] = 0;
}

void rlp_images_begin(void) {
  for (uint32_t i = 0; i < image_count; i++) images[i].is_logged = 0;
}

// Returns whether a library is between the program and its callouts. Its code is never the place that made an object.
static int is_system_library(const char *path) {
  static const char *const prefixes[] = {
      "libFoundation", "lib_Foundation", "libCoreFoundation", "libdispatch", "libBlocksRuntime", "libswift",
      "libc.so", "libpthread", "ld-linux", "librltrace-preload", "libstdc++", "libm.so", "linux-vdso"};
  const char *name = strrchr(path, '/');
  name = name == NULL ? path : name + 1;
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
    if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0) return 1;
  return 0;
}

static void read_build_id(image *made, const struct dl_phdr_info *info, const ElfW(Phdr) *segment) {
  const unsigned char *notes = (const unsigned char *)(info->dlpi_addr + segment->p_vaddr);
  size_t bytes;
  const unsigned char *id = rlt_find_build_id(notes, notes + segment->p_memsz, &bytes);
  if (id == NULL) return;
  made->build_id_bytes = (uint32_t)bytes;
  memcpy(made->build_id, id, bytes);
}

static int is_known(uintptr_t bias, uintptr_t start) {
  for (uint32_t i = 0; i < image_count; i++)
    if (images[i].bias == bias && images[i].start == start) return 1;
  return 0;
}

// Called under the loader's lock. Takes no other lock.
static int take_image(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size;
  int *is_first = context;
  int is_program = *is_first;
  *is_first = 0;
  if (images == NULL) {
    void *memory = mmap(
        NULL, IMAGES_MAX * sizeof(image), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return 1;
    images = memory;
  }
  if (image_count == IMAGES_MAX) return 0;
  // The image is written to its place in the table, because the stack of a program's thread may be small.
  image *made = &images[image_count];
  memset(made, 0, offsetof(image, path) + 1);
  made->bias = info->dlpi_addr;
  made->start = UINTPTR_MAX;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    if (segment->p_type == PT_NOTE) read_build_id(made, info, segment);
    if (segment->p_type != PT_LOAD) continue;
    uintptr_t start = info->dlpi_addr + segment->p_vaddr, end = start + segment->p_memsz;
    if (start < made->start) made->start = start;
    if (end > made->end) made->end = end;
    if ((segment->p_flags & PF_X) == 0) continue;
    if (made->code_end == 0) made->code_start = start;
    made->code_end = end;
  }
  if (made->end == 0 || is_known(made->bias, made->start)) return 0;
  const char *name = info->dlpi_name == NULL ? "" : info->dlpi_name;
  snprintf(made->path, PATH_MAX, "%s", is_program && program_path[0] != 0 ? program_path : name);
  made->is_system = !is_program && is_system_library(made->path);
  if (strstr(made->path, "libdispatch.so") != NULL) __atomic_store_n(&has_dispatch, 1, __ATOMIC_RELAXED);
  __atomic_store_n(&image_count, image_count + 1, __ATOMIC_RELEASE);
  return 0;
}

static int read_adds(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size;
  *(unsigned long long *)context = info->dlpi_adds;
  return 1;
}

static void look_again(void) {
  unsigned long long adds = 0;
  dl_iterate_phdr(read_adds, &adds);
  if (adds == __atomic_load_n(&seen_adds, __ATOMIC_ACQUIRE)) return;
  // The loader lets one thread iterate at a time, so a second thread finds the images that the first one noted.
  int is_first = 1;
  dl_iterate_phdr(take_image, &is_first);
  __atomic_store_n(&seen_adds, adds, __ATOMIC_RELEASE);
}

static image *find(uintptr_t address) {
  for (int attempt = 0; attempt < 2; attempt++) {
    uint32_t count = __atomic_load_n(&image_count, __ATOMIC_ACQUIRE);
    // Newest first: a library may have taken the place of one that was closed.
    for (uint32_t i = count; i-- > 0;)
      if (address >= images[i].code_start && address < images[i].code_end) return &images[i];
    if (attempt == 0) look_again();
  }
  return NULL;
}

int rlp_look_for_images(void) {
  uint32_t count = __atomic_load_n(&image_count, __ATOMIC_ACQUIRE);
  look_again();
  return __atomic_load_n(&image_count, __ATOMIC_ACQUIRE) != count;
}

int rlp_is_in_image(uintptr_t address) {
  uint32_t count = __atomic_load_n(&image_count, __ATOMIC_ACQUIRE);
  for (uint32_t i = 0; i < count; i++)
    if (address >= images[i].start && address < images[i].end) return 1;
  return 0;
}

int rlp_has_dispatch(void) { return __atomic_load_n(&has_dispatch, __ATOMIC_RELAXED); }

int rlp_kind_of(uintptr_t address) {
  const image *found = address < 4096 ? NULL : find(address);
  return found == NULL ? RLP_NOT_CODE : found->is_system ? RLP_SYSTEM_CODE : RLP_PROGRAM_CODE;
}

void rlp_log_image_of(uintptr_t address) {
  image *found = address < 4096 ? NULL : find(address);
  if (found == NULL || __atomic_exchange_n(&found->is_logged, 1, __ATOMIC_ACQ_REL) != 0) return;
  char entry[4 * sizeof(uint64_t) + RLT_BUILD_ID_MAX];
  uint64_t words[4] = {found->bias, found->start, found->end, found->build_id_bytes};
  memcpy(entry, words, sizeof words);
  memcpy(entry + sizeof words, found->build_id, found->build_id_bytes);
  rlt_spool_append(
      rlt_current_spool(), RLT_NAME_IMAGE, 0, 0, entry, sizeof words + found->build_id_bytes, found->path,
      strlen(found->path));
}
