#include "memory.h"

int rlp_read(const void *address, void *bytes, size_t count) {
  if ((uintptr_t)address < 1 << 16) return 0;
  struct iovec here = {bytes, count}, there = {(void *)address, count};
  int kept_errno = errno;
  ssize_t got = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
  errno = kept_errno;
  return got == (ssize_t)count;
}
