#define _GNU_SOURCE
#include "rltrace_spool_guard.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "rltrace_emit.h"
#include "rltrace_platform.h"
#include "rltrace_spool_space.h"

// Accessing the missing part of a file that was truncated while it is mapped kills the process with SIGBUS. A full
// disk or a quota has the same effect on file systems that store changed data in a new place. This handler replaces
// the missing page of a spool with zeros. The process survives, but what it stores there is lost, and it records
// nothing more. A recorder has one mapping per live process, and a machine has fewer processes than this.
enum { MAPPINGS = 1 << 16 };
typedef struct {
  uintptr_t start;  // 0 = free
  uintptr_t end;
  uint32_t faults;  // pages that were replaced
} guarded_mapping;
static guarded_mapping *guarded;  // reserved at the first use
static int used;  // entries that were ever taken; these are the first ones

static struct sigaction earlier;
static int is_installed;

// Returns the entry of the mapping that holds the address; -1 = none does.
static int place_of(uintptr_t address) {
  int count = __atomic_load_n(&used, __ATOMIC_ACQUIRE);
  for (int i = 0; i < count; i++) {
    uintptr_t start = __atomic_load_n(&guarded[i].start, __ATOMIC_ACQUIRE);
    if (start != 0 && address >= start && address < __atomic_load_n(&guarded[i].end, __ATOMIC_RELAXED)) return i;
  }
  return -1;
}

// Restores the earlier handler with its mask and flags. The signal is raised again when this handler returns. From then
// on, the mappings are not guarded.
static void hand_back(int number, siginfo_t *info) {
  sigaction(number, &earlier, NULL);
  __atomic_store_n(&is_installed, 0, __ATOMIC_RELEASE);
  // A memory access is repeated and raises the signal again. A signal that was sent has to be sent again.
  int was_touched = info->si_code > 0;
#ifdef BUS_MCEERR_AO
  was_touched = was_touched && info->si_code != BUS_MCEERR_AO;
#endif
  if (!was_touched) rlt_send_signal_again(number, info);
}

static void survive(int number, siginfo_t *info, void *context) {
  (void)context;
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), address = (uintptr_t)info->si_addr;
  int place = info->si_code > 0 ? place_of(address) : -1;
  if (place < 0
      || mmap((void *)(address & ~(page - 1)), page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0)
             == MAP_FAILED) {
    hand_back(number, info);
    return;
  }
  __atomic_fetch_add(&guarded[place].faults, 1, __ATOMIC_RELEASE);
  rlt_spool *spool = rlt_current_spool();
  if ((uintptr_t)spool != guarded[place].start) return;
  __atomic_store_n(&rlt_current.session, 0, __ATOMIC_RELEASE);
  // The note below is stored before the interrupted event is published. Storing it may fault as well; then this
  // handler runs again, and the recursion ends. The signal is unblocked because a wrapper of signals, such as thread
  // sanitizer's, blocks all signals while a handler runs.
  sigset_t own;
  sigemptyset(&own);
  sigaddset(&own, number);
  pthread_sigmask(SIG_UNBLOCK, &own, NULL);
  rlt_spool_note(spool, RLT_SEEN_FAULT);
}

static void install(void) {
  if (__atomic_exchange_n(&is_installed, 1, __ATOMIC_ACQ_REL)) return;
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = survive;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  sigaction(SIGBUS, &action, &earlier);
}

// Restores the earlier handler, unless another handler was installed over this one.
static void uninstall(void) {
  struct sigaction now;
  if (sigaction(SIGBUS, NULL, &now) != 0 || now.sa_sigaction != survive) return;
  sigaction(SIGBUS, &earlier, NULL);
  __atomic_store_n(&is_installed, 0, __ATOMIC_RELEASE);
}

// Reserves the table. Returns 0 if there is no memory.
static int make_table(void) {
  if (__atomic_load_n(&guarded, __ATOMIC_ACQUIRE) != NULL) return 1;
  enum { BYTES = MAPPINGS * sizeof(guarded_mapping) };
  guarded_mapping *table = rlt_map(NULL, BYTES, MAP_PRIVATE | MAP_ANONYMOUS, -1), *none = NULL;
  if (table == NULL) return 0;
  if (!__atomic_compare_exchange_n(&guarded, &none, table, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) munmap(table, BYTES);
  return 1;
}

// Guarding a mapping again only changes its end, so a user of a spool need not know whether its maker guards it.
void rlt_guard_mapping(const void *memory, size_t bytes) {
  if (!make_table()) return;
  int known = place_of((uintptr_t)memory);
  int is_new = known < 0 || guarded[known].start != (uintptr_t)memory;
  if (!is_new) __atomic_store_n(&guarded[known].end, (uintptr_t)memory + bytes, __ATOMIC_RELAXED);
  for (int i = 0; is_new && i < MAPPINGS; i++) {
    uintptr_t nobody = 0;
    if (!__atomic_compare_exchange_n(&guarded[i].start, &nobody, UINTPTR_MAX, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
      continue;
    __atomic_store_n(&guarded[i].faults, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&guarded[i].end, (uintptr_t)memory + bytes, __ATOMIC_RELAXED);
    __atomic_store_n(&guarded[i].start, (uintptr_t)memory, __ATOMIC_RELEASE);
    int count = __atomic_load_n(&used, __ATOMIC_RELAXED);
    while (count <= i && !__atomic_compare_exchange_n(&used, &count, i + 1, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
    }
    break;
  }
  install();
}

void rlt_unguard_mapping(const void *memory) {
  int count = __atomic_load_n(&used, __ATOMIC_ACQUIRE);
  for (int i = 0; i < count; i++) {
    uintptr_t start = (uintptr_t)memory;
    if (__atomic_compare_exchange_n(&guarded[i].start, &start, 0, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) return;
  }
}

void rlt_end_guard(const void *memory) {
  rlt_unguard_mapping(memory);
  int count = __atomic_load_n(&used, __ATOMIC_ACQUIRE);
  for (int i = 0; i < count; i++)
    if (__atomic_load_n(&guarded[i].start, __ATOMIC_ACQUIRE) != 0) return;
  uninstall();
}

uint32_t rlt_guard_faults(const void *memory) {
  int place = place_of((uintptr_t)memory);
  return place < 0 ? 0 : __atomic_load_n(&guarded[place].faults, __ATOMIC_ACQUIRE);
}
