#define _GNU_SOURCE
#include "rltrace_thread_evidence.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__linux__)

#include <linux/futex.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>

#include "rltrace_clock.h"
#include "rltrace_platform.h"
#include "rltrace_queue_wait.h"
#include "rltrace_vocabulary.h"

uint32_t rlt_owner_offset;

void rlt_set_queue_owner_offset(uint32_t offset) { __atomic_store_n(&rlt_owner_offset, offset, __ATOMIC_RELEASE); }

// Reads a kernel file with open, read and close only, so it uses neither the program's locks nor its heap.
static int read_file(uint64_t thread, const char *name, char *text, size_t size) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/task/%llu/%s", (unsigned long long)thread, name);
  int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return 0;
  ssize_t length = read(descriptor, text, size - 1);
  close(descriptor);
  if (length <= 0) return 0;
  text[length] = 0;
  return 1;
}

// Returns the number after `key` in a file with one key per line.
static uint64_t number_of(const char *text, const char *key, int base) {
  const char *at = strstr(text, key);
  return at == NULL ? UINT64_MAX : strtoull(at + strlen(key), NULL, base);
}

static const char voluntary[] = "\nvoluntary_ctxt_switches:";

// Reads where the thread is: "running", or the system call (-1 = none), its arguments, the stack pointer and the
// program counter. Returns 0, and changes nothing, if that is hidden: after a change of its user (setuid), the process
// may not open the file.
static int read_place(uint64_t thread, rlt_thread_evidence *evidence) {
  char text[256];
  if (!read_file(thread, "syscall", text, sizeof text)) return 0;
  evidence->system_call = UINT64_MAX;
  evidence->stack_pointer = evidence->program_counter = 0;
  char *rest = text;
  long long number = strtoll(text, &rest, 10);
  if (rest == text) return 1;
  uint64_t words[8];
  int count = 0;
  for (; count < 8; count++) {
    char *end;
    words[count] = strtoull(rest, &end, 16);
    if (end == rest) break;
    rest = end;
  }
  if (number < 0 && count >= 2) {
    evidence->stack_pointer = words[0];
    evidence->program_counter = words[1];
  } else if (number >= 0 && count == 8) {
    evidence->system_call = (uint64_t)number;
    memcpy(evidence->arguments, words, sizeof evidence->arguments);
    evidence->stack_pointer = words[6];
    evidence->program_counter = words[7];
  }
  return 1;
}

static int is_thread_of_ours(uint64_t thread) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/task/%llu", (unsigned long long)thread);
  return thread != 0 && access(path, F_OK) == 0;
}

// Returns the thread that runs the blocks of the queue for which a thread waits; 0 = it waits for none, or not known.
// Dispatch waits at a word on the waiting thread's stack, between the stack pointer and the mark of the wait. If the
// thread itself runs the queue's blocks, it is past that wait, and waits for something else inside its block.
static uint64_t owner_of_awaited_queue(uint64_t thread, const rlt_thread_evidence *evidence) {
  enum { WORDS = 512 };
  uint32_t offset = rlt_queue_owner_offset(), owner;
  uint64_t words[WORDS], bottom = evidence->stack_pointer & ~UINT64_C(7), awaited = evidence->arguments[0];
  if (offset == 0 || awaited < bottom || awaited >= bottom + sizeof words) return 0;
  size_t size = sizeof words;
  // The stack may end earlier.
  while (!rlt_read_memory(bottom, words, size))
    if ((size /= 2) < sizeof(rlt_queue_wait)) return 0;
  for (size_t i = (awaited - bottom) / sizeof *words; (i + 3) * sizeof *words <= size; i++) {
    if (words[i] != RLT_QUEUE_WAIT_MAGIC || words[i + 1] != bottom + i * sizeof *words) continue;
    if (!rlt_read_memory(words[i + 2] + offset, &owner, sizeof owner)) return 0;
    owner &= RLT_QUEUE_OWNER_MASK;
    return owner == thread ? 0 : owner;
  }
  return 0;
}

// Returns the owner of the awaited lock or queue. Locks of the C library store the owner's id in their third word.
// Locks with priority inheritance, such as Swift's and CoreFoundation's, store it in the futex word. Other words do
// not match the id of a thread of this process.
static uint64_t awaited_thread(uint64_t thread, const rlt_thread_evidence *evidence) {
  if (evidence->system_call != SYS_futex) return 0;
  unsigned operation = (unsigned)evidence->arguments[1] & FUTEX_CMD_MASK;
  int inherits = operation == FUTEX_LOCK_PI || operation == FUTEX_WAIT_REQUEUE_PI;
  if (!inherits && operation != FUTEX_WAIT && operation != FUTEX_WAIT_BITSET) return 0;
  uint32_t words[3];
  if (!rlt_read_memory(evidence->arguments[0], words, sizeof words)) return 0;
  // A first word of 2 means: locked, with waiters.
  uint64_t owner = inherits ? words[0] & FUTEX_TID_MASK : words[0] == 2 ? words[2] : 0;
  if (owner == 0) owner = owner_of_awaited_queue(thread, evidence);
  return is_thread_of_ours(owner) ? owner : 0;
}

// Returns the descriptor of a system call, the first if there are several; -1 = none, or not known.
static int awaited_descriptor(const rlt_thread_evidence *evidence) {
  switch ((long)evidence->system_call) {
#if defined(SYS_poll)
    case SYS_poll:
#endif
    case SYS_ppoll: {
      struct pollfd first;
      if (evidence->arguments[1] == 0 || !rlt_read_memory(evidence->arguments[0], &first, sizeof first)) return -1;
      return first.fd;
    }
    case SYS_read: case SYS_write: case SYS_pread64: case SYS_pwrite64: case SYS_readv: case SYS_writev:
    case SYS_recvfrom: case SYS_sendto: case SYS_recvmsg: case SYS_sendmsg: case SYS_connect: case SYS_accept:
    case SYS_accept4: case SYS_fsync: case SYS_fdatasync: case SYS_ftruncate: case SYS_getdents64: case SYS_fstat:
    case SYS_ioctl: case SYS_flock: case SYS_sync_file_range: case SYS_fallocate:
      return (int)evidence->arguments[0];
    default: return -1;
  }
}

// Returns the kind of a socket by the name of its protocol, such as UNIX-STREAM or TCPv6.
static uint64_t kind_of_socket(const char *path) {
  static const char *const of_networks[] = {"TCP", "UDP", "MPTCP", "SCTP", "DCCP", "SMC", "RAW", "PING"};
  char name[32];
  ssize_t length = getxattr(path, "system.sockprotoname", name, sizeof name - 1);
  if (length <= 0) return RLT_DESCRIPTOR_UNKNOWN;
  name[length] = 0;
  if (strncmp(name, "UNIX", 4) == 0) return RLT_DESCRIPTOR_LOCAL_SOCKET;
  for (size_t i = 0; i < sizeof of_networks / sizeof *of_networks; i++)
    if (strncmp(name, of_networks[i], strlen(of_networks[i])) == 0) return RLT_DESCRIPTOR_NETWORK_SOCKET;
  return RLT_DESCRIPTOR_OTHER;
}

// The calling thread may have no descriptors of the program, so their paths are used.
static uint64_t kind_of_descriptor(int descriptor) {
  char path[40];
  struct stat status;
  snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
  if (descriptor < 0 || stat(path, &status) != 0) return RLT_DESCRIPTOR_UNKNOWN;
  switch (status.st_mode & S_IFMT) {
    case S_IFREG: case S_IFDIR: case S_IFBLK: return RLT_DESCRIPTOR_FILE;
    case S_IFIFO: return RLT_DESCRIPTOR_PIPE;
    case S_IFSOCK: return kind_of_socket(path);
    default: return RLT_DESCRIPTOR_OTHER;
  }
}

int rlt_read_thread_account(uint64_t thread, rlt_thread_account *account) {
  // "ran waited times", in nanoseconds.
  char text[96], *waited, *rest;
  if (!read_file(thread, "schedstat", text, sizeof text)) return 0;
  uint64_t cpu_ns = strtoull(text, &waited, 10), waited_ns = strtoull(waited, &rest, 10);
  if (waited == text || rest == waited) return 0;
  *account = (rlt_thread_account){.cpu_ns = cpu_ns, .waited_ns = waited_ns, .read_ns = rlt_monotonic_ns()};
  return 1;
}

int rlt_read_thread_evidence(uint64_t thread, rlt_thread_evidence *evidence) {
  char text[2048];
  memset(evidence, 0xFF, sizeof *evidence);
  evidence->awaited_thread = 0;
  evidence->descriptor = RLT_DESCRIPTOR_UNKNOWN;
  // "id (name) state …"; the name may contain any characters.
  if (!read_file(thread, "stat", text, sizeof text)) return 0;
  const char *at = strrchr(text, ')');
  if (at == NULL || at[1] == 0) return 0;
  evidence->state = (unsigned char)at[2];
  unsigned long long minor, major;
  if (sscanf(at + 3, " %*d %*d %*d %*d %*d %*u %llu %*u %llu", &minor, &major) == 2) {
    evidence->minor_faults = minor;
    evidence->major_faults = major;
  }
  (void)read_place(thread, evidence);
  rlt_thread_account account;
  if (rlt_read_thread_account(thread, &account)) {
    evidence->cpu_ns = account.cpu_ns;
    evidence->waited_ns = account.waited_ns;
  }
  if (read_file(thread, "status", text, sizeof text)) {
    evidence->voluntary_switches = number_of(text, voluntary, 10);
    evidence->involuntary_switches = number_of(text, "\nnonvoluntary_ctxt_switches:", 10);
    evidence->blocked_signals = number_of(text, "\nSigBlk:", 16);
  }
  if (read_file(thread, "io", text, sizeof text)) {
    evidence->read_bytes = number_of(text, "rchar:", 10);
    evidence->written_bytes = number_of(text, "wchar:", 10);
  }
  if (evidence->system_call != UINT64_MAX) {
    evidence->awaited_thread = awaited_thread(thread, evidence);
    evidence->descriptor = kind_of_descriptor(awaited_descriptor(evidence));
  }
  return 1;
}

int rlt_runs_as_before(uint64_t thread, const rlt_thread_evidence *evidence) {
  char text[2048];
  return read_file(thread, "status", text, sizeof text) && strstr(text, "\nState:\tR") != NULL
         && number_of(text, voluntary, 10) == evidence->voluntary_switches;
}

int rlt_sleeps_as_before(uint64_t thread, const rlt_thread_evidence *evidence) {
  rlt_thread_evidence now;
  return read_place(thread, &now) && now.stack_pointer == evidence->stack_pointer
         && now.program_counter == evidence->program_counter && now.system_call == evidence->system_call;
}

#endif
