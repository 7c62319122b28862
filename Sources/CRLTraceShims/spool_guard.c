#define _GNU_SOURCE
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif
#include <unistd.h>

#include "rltrace_emit.h"
#include "rltrace_spool.h"

// A file that is cut while it is mapped kills whoever touches what is gone, by SIGBUS. So does a full disk, or a quota, whose
// file system puts what is stored again into a new place. The memory of a spool comes from nowhere then, zeros: what is
// stored there is lost, the process lives, and stores no more.
// A recorder has one mapping per living process, of which a machine has fewer than these.
enum { MAPPINGS = 1 << 16 };
static struct {
  uintptr_t start;  // 0 = free
  uintptr_t end;
  uint32_t faults;  // pages that came from nowhere
} guarded[MAPPINGS];
static int used;  // entries that were ever taken: the first ones

static struct sigaction earlier;
static int is_installed;

// The place of the mapping that holds the address; -1 = none of these does.
static int place_of(uintptr_t address) {
  int count = __atomic_load_n(&used, __ATOMIC_ACQUIRE);
  for (int i = 0; i < count; i++) {
    uintptr_t start = __atomic_load_n(&guarded[i].start, __ATOMIC_ACQUIRE);
    if (start != 0 && address >= start && address < __atomic_load_n(&guarded[i].end, __ATOMIC_RELAXED)) return i;
  }
  return -1;
}

// Leaves the signal to whoever had it before, with that one's mask and flags: it comes again when this handler returns. The
// mappings are not guarded from then on.
static void hand_back(int number, siginfo_t *info) {
  sigaction(number, &earlier, NULL);
  __atomic_store_n(&is_installed, 0, __ATOMIC_RELEASE);
  // What was touched is touched again; what was sent is not.
  int was_touched = info->si_code > 0;
#ifdef BUS_MCEERR_AO
  was_touched = was_touched && info->si_code != BUS_MCEERR_AO;
#endif
  if (was_touched) return;
#ifdef __linux__
  if (syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), number, info) == 0) return;
#endif
  raise(number);
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
  // Before the event that was being stored is published. It may fail as well, which comes here again, and ends: also where
  // a wrapper of signals, like thread sanitizer's, blocks all of them meanwhile.
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

// Unless somebody put another handler over it.
static void uninstall(void) {
  struct sigaction now;
  if (sigaction(SIGBUS, NULL, &now) != 0 || now.sa_sigaction != survive) return;
  sigaction(SIGBUS, &earlier, NULL);
  __atomic_store_n(&is_installed, 0, __ATOMIC_RELEASE);
}

// Whoever made a spool guards it, and whoever uses it then does not ask who did.
void rlt_guard_mapping(const void *memory, size_t bytes) {
  int known = place_of((uintptr_t)memory);
  int is_new = known < 0 || guarded[known].start != (uintptr_t)memory;
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
