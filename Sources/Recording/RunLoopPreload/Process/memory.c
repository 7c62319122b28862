#include "memory.h"

int rlp_read(const void *address, void *bytes, size_t count) {
  if ((uintptr_t)address < 1 << 16) return 0;
  int kept_errno = errno;
  int is_read = rlt_read_memory((uintptr_t)address, bytes, count);
  errno = kept_errno;
  return is_read;
}
