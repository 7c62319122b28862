// Prints the stack of its caller and the address range of the program, as a recorder would store them in a trace.
#define _GNU_SOURCE
#include <execinfo.h>
#include <link.h>
#include <stdio.h>

static int print_image(struct dl_phdr_info *info, size_t size, void *context) {
  unsigned long start = -1UL, end = 0;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    if (segment->p_type != PT_LOAD) continue;
    if (info->dlpi_addr + segment->p_vaddr < start) start = info->dlpi_addr + segment->p_vaddr;
    if (info->dlpi_addr + segment->p_vaddr + segment->p_memsz > end) end = info->dlpi_addr + segment->p_vaddr + segment->p_memsz;
  }
  printf("image %lu %lu\n", start, end);
  (void)size, (void)context;
  return 1; // The first image is the program.
}

__attribute__((noinline)) int print_stack(void) {
  void *frames[64];
  int count = backtrace(frames, 64);
  dl_iterate_phdr(print_image, NULL);
  for (int i = 0; i < count; i++) printf("frame %lu\n", (unsigned long)frames[i]);
  return fflush(stdout); // HERE print_stack
}
