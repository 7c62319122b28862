#include "refusal.h"

#if defined(__x86_64__)
enum { OWN_MACHINE = EM_X86_64 };
#elif defined(__aarch64__)
enum { OWN_MACHINE = EM_AARCH64 };
#endif

typedef struct {
  int descriptor;
  Elf64_Ehdr header;
} program_file;

// The system calls are made by their numbers, so that they do not end a thread that is being cancelled.
static int open_file(const char *path) {
  // A pipe must not block.
  return (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
}

// Returns the number of bytes that were read.
static size_t read_at(const program_file *file, void *bytes, size_t count, uint64_t offset) {
  long got = syscall(SYS_pread64, file->descriptor, bytes, count, offset);
  return got > 0 ? (size_t)got : 0;
}

// Reads a text, or its beginning.
static void read_text(const program_file *file, char *text, size_t size, uint64_t offset) {
  text[read_at(file, text, size - 1, offset)] = 0;
}

static int read_segment(const program_file *file, int number, Elf64_Phdr *segment) {
  uint64_t offset = file->header.e_phoff + (uint64_t)number * sizeof *segment;
  return number < file->header.e_phnum && read_at(file, segment, sizeof *segment, offset) == sizeof *segment;
}

// Returns where the file has the byte of an address; 0 = nowhere.
static uint64_t place_of(const program_file *file, uint64_t address) {
  Elf64_Phdr segment;
  for (int i = 0; read_segment(file, i, &segment); i++)
    if (segment.p_type == PT_LOAD && address - segment.p_vaddr < segment.p_filesz)
      return segment.p_offset + (address - segment.p_vaddr);
  return 0;
}

static int is_sanitizer(const char *names) {
  return strstr(names, "libasan.so") != NULL || strstr(names, "libclang_rt.asan") != NULL;
}

// Looks for the sanitizer among the first entries, which name the libraries that a program needs.
static int needs_sanitizer(const program_file *file, const Elf64_Phdr *dynamic) {
  enum { ENTRIES = 64 };
  Elf64_Dyn entries[ENTRIES];
  size_t bytes = dynamic->p_filesz < sizeof entries ? dynamic->p_filesz : sizeof entries;
  size_t count = read_at(file, entries, bytes, dynamic->p_offset) / sizeof *entries;
  uint64_t names = 0;
  for (size_t i = 0; i < count; i++)
    if (entries[i].d_tag == DT_STRTAB) names = place_of(file, entries[i].d_un.d_ptr);
  for (size_t i = 0; i < count && names != 0; i++) {
    char name[32];
    if (entries[i].d_tag != DT_NEEDED) continue;
    read_text(file, name, sizeof name, names + entries[i].d_un.d_val);
    if (is_sanitizer(name)) return 1;
  }
  return 0;
}

static int is_for_musl(const program_file *file, const Elf64_Phdr *interpreter) {
  char path[256];
  read_text(file, path, sizeof path, interpreter->p_offset);
  return strstr(path, "/ld-musl-") != NULL;
}

// Scripts and statically linked programs are not refused.
static int is_refused(program_file *file, int may_have_sanitizer) {
  const unsigned char *identity = file->header.e_ident;
  size_t bytes = read_at(file, &file->header, sizeof file->header, 0);
  if (bytes < EI_NIDENT || memcmp(identity, ELFMAG, SELFMAG) != 0) return 0;
  if (identity[EI_CLASS] != ELFCLASS64) return 1;
  if (bytes < sizeof file->header || file->header.e_phentsize != sizeof(Elf64_Phdr)) return 0;
  if (file->header.e_machine != OWN_MACHINE) return 1;
  Elf64_Phdr segment;
  for (int i = 0; read_segment(file, i, &segment); i++) {
    if (segment.p_type == PT_INTERP && is_for_musl(file, &segment)) return 1;
    if (segment.p_type == PT_DYNAMIC && !may_have_sanitizer && needs_sanitizer(file, &segment)) return 1;
  }
  return 0;
}

// As execvp does.
static int open_in_path(const char *name) {
  char path[1024];
  const char *folders = getenv("PATH");
  if (folders == NULL) folders = "/bin:/usr/bin";
  for (;;) {
    int length = (int)strcspn(folders, ":");
    int bytes = snprintf(path, sizeof path, "%.*s%s%s", length, folders, length == 0 ? "" : "/", name);
    int descriptor = bytes >= (int)sizeof path || access(path, X_OK) != 0 ? -1 : open_file(path);
    if (descriptor >= 0 || folders[length] == 0) return descriptor;
    folders += length + 1;
  }
}

static const char *value_in(char *const *environment, const char *name) {
  size_t length = strlen(name);
  for (; environment != NULL && *environment != NULL; environment++)
    if (strncmp(*environment, name, length) == 0) return *environment + length;
  return "";
}

int rlp_is_refused(const char *name, int descriptor, int is_searched, char *const *environment) {
  if (__atomic_load_n(&rlt_calls_are_filtered, __ATOMIC_RELAXED)) return 0;
  int may_have_sanitizer = strstr(value_in(environment, "ASAN_OPTIONS="), "verify_asan_link_order=0") != NULL;
  if (!may_have_sanitizer && is_sanitizer(value_in(environment, "LD_PRELOAD="))) return 1;
  int kept_errno = errno;
  program_file file = {.descriptor = descriptor};
  if (descriptor < 0 && name != NULL)
    file.descriptor = is_searched && strchr(name, '/') == NULL ? open_in_path(name) : open_file(name);
  int is_refused_ = file.descriptor >= 0 && is_refused(&file, may_have_sanitizer);
  if (descriptor < 0 && file.descriptor >= 0) (void)syscall(SYS_close, file.descriptor);
  errno = kept_errno;
  return is_refused_;
}
