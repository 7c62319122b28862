#include "program_symbols.h"

typedef struct {
  const char *bytes;
  size_t size;
  uintptr_t bias;
} program_file;

// A symbol that was looked for.
typedef struct {
  const char *name;
  uintptr_t address;
} program_symbol;

// The functions that this library uses. The first one exists in each program with a static Dispatch.
static program_symbol symbols[] = {
    {"dispatch_async_f", 0},      {"dispatch_queue_get_label", 0}, {"dispatch_queue_create", 0},
    {"dispatch_release", 0},      {"_dispatch_queue_attr_concurrent", 0},
    {"_swift_concurrency_debug_internal_layout_version", 0},
    {"_swift_concurrency_debug_asyncTaskMetadata", 0},
    {"_swift_concurrency_debug_future_adapter", 0},
    {"_swift_concurrency_debug_non_future_adapter", 0},
};
enum { SYMBOLS = sizeof symbols / sizeof *symbols };

static int take_bias(struct dl_phdr_info *info, size_t size, void *bias) {
  (void)size;
  *(uintptr_t *)bias = info->dlpi_addr;
  return 1;  // the first one is the program
}

static int is_inside(const program_file *file, uint64_t offset, uint64_t bytes) {
  return offset <= file->size && bytes <= file->size - offset;
}

static void take_symbols(const program_file *file, const Elf64_Shdr *table, const Elf64_Shdr *texts) {
  if (!is_inside(file, table->sh_offset, table->sh_size) || !is_inside(file, texts->sh_offset, texts->sh_size)) return;
  const Elf64_Sym *all = (const void *)(file->bytes + table->sh_offset);
  const char *text = file->bytes + texts->sh_offset;
  // Texts end within their section.
  if (texts->sh_size == 0 || text[texts->sh_size - 1] != 0) return;
  for (uint64_t i = 0; i < table->sh_size / sizeof *all; i++) {
    if (all[i].st_value == 0 || all[i].st_name >= texts->sh_size) continue;
    for (int which = 0; which < SYMBOLS; which++)
      if (strcmp(text + all[i].st_name, symbols[which].name) == 0)
        symbols[which].address = file->bias + all[i].st_value;
  }
}

static void read_file(const program_file *file) {
  if (!is_inside(file, 0, sizeof(Elf64_Ehdr))) return;
  const Elf64_Ehdr *header = (const void *)file->bytes;
  if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64
      || header->e_shentsize != sizeof(Elf64_Shdr)
      || !is_inside(file, header->e_shoff, (uint64_t)header->e_shnum * sizeof(Elf64_Shdr)))
    return;
  const Elf64_Shdr *sections = (const void *)(file->bytes + header->e_shoff);
  for (int i = 0; i < header->e_shnum; i++)
    if (sections[i].sh_type == SHT_SYMTAB && sections[i].sh_link < header->e_shnum)
      take_symbols(file, &sections[i], &sections[sections[i].sh_link]);
}

static void find_symbols(void) {
  program_file file = {0};
  struct stat status;
  int descriptor = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return;
  if (fstat(descriptor, &status) == 0 && status.st_size > 0) {
    file.size = (size_t)status.st_size;
    void *memory = mmap(NULL, file.size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (memory != MAP_FAILED) {
      file.bytes = memory;
      dl_iterate_phdr(take_bias, &file.bias);
      read_file(&file);
      munmap(memory, file.size);
    }
  }
  close(descriptor);
}

void *rlp_symbol_of_program(const char *name) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  int kept_errno = errno;
  pthread_once(&once, find_symbols);
  errno = kept_errno;
  for (int i = 0; i < SYMBOLS; i++)
    if (strcmp(symbols[i].name, name) == 0) return (void *)symbols[i].address;
  return NULL;
}
