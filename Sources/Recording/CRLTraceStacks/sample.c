#define _GNU_SOURCE
#include "rltrace_sample.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#if defined(__linux__)

#include <linux/futex.h>
#include <sys/syscall.h>

#include "context_registers.h"
#include "rltrace_clock.h"
#include "rltrace_platform.h"

// The copied innermost part of a stack. Frames beyond it are cut off.
enum { STACK_BYTES = 512 << 10 };
static unsigned char *stack_copy;

// The state of a request from the sampling thread to the interrupted one, plus its number. A request that has timed
// out is withdrawn, because its signal may be delivered later, when the thread unblocks it. From COPIES on, the
// interrupted thread owns the copy and the registers, until HAS_COPIED. It waits for no other thread.
enum { NO_REQUEST = 0, WANTED = 1, COPIES = 2, HAS_COPIED = 3, STATES = 4 };
static uint32_t request;  // only the sampling thread waits for a change
static uint32_t requested_thread;
static rlt_registers interrupted;
static size_t interrupted_bytes;  // of its stack that were copied

// A signal that has our handler.
typedef struct {
  int number;  // 0 = none
  // A thread blocks the signal that was sent to it. The program's action may be to terminate, so our handler stays
  // until the signal is delivered.
  int is_pending;
  struct sigaction programs_action;
} taken_signal;

static taken_signal taken[2];  // the chosen signal, and SIGPROF for threads that block it

// Returns whether the system may kill the program for a system call of our handler.
static int are_calls_filtered(void) { return __atomic_load_n(&rlt_calls_are_filtered, __ATOMIC_RELAXED); }

static long futex(uint32_t *word, int operation, uint32_t value, const struct timespec *limit) {
  return syscall(SYS_futex, word, operation | FUTEX_PRIVATE_FLAG, value, limit, NULL, 0);
}

#if defined(__x86_64__)

static void read_registers(const ucontext_t *context, rlt_registers *registers) {
  for (unsigned i = 0; i < RLT_REGISTERS; i++)
    rlt_set_register(registers, i, (uint64_t)context->uc_mcontext.gregs[rlt_context_order[i]]);
}

// Returns the number of the interrupted system call, if the code just before shows it; -1 = not known.
static long interrupted_call(const ucontext_t *context) {
  const greg_t *registers = context->uc_mcontext.gregs;
  unsigned char code[32];
  int32_t number;
  if (registers[REG_RAX] != -EINTR) return -1;
  if (!rlt_read_memory((uint64_t)registers[REG_RIP] - sizeof code, code, sizeof code)) return -1;
  const unsigned char *at = code + sizeof code - 2;
  if (at[0] != 0x0F || at[1] != 0x05) return -1;
  // Up to three arguments are loaded from the stack: mov offset(%rsp), %register, with a prefix for 64 bits.
  for (int i = 0; i < 3 && at[-4] == 0x8B && (at[-3] & 0xC7) == 0x44 && at[-3] != 0x44 && at[-2] == 0x24; i++)
    at -= at[-5] == 0x48 ? 5 : 4;
  // xor %eax, %eax. A prefix would make it another register.
  if (at[-2] == 0x31 && at[-1] == 0xC0 && (at[-3] & 0xF0) != 0x40) return SYS_read;
  // mov $number, %eax. A prefix with an odd number would make it another register.
  if (at[-5] != 0xB8 || (at[-6] & 0xF1) == 0x41) return -1;
  memcpy(&number, at - 4, sizeof number);
  return number;
}

// Starts an interrupted system call again: the thread may have gone to sleep between the check and the signal. Most
// system calls restart by themselves (SA_RESTART), but not these. A timed wait gets longer by the time that it took so
// far, unless the kernel has stored the remaining time in its arguments. The handler itself does not wait in place of
// the call (restart_syscall): a further signal would end that wait.
static void resume_system_call(ucontext_t *context) {
  greg_t *registers = context->uc_mcontext.gregs;
  long number = interrupted_call(context);
  switch (number) {
    case SYS_nanosleep: case SYS_clock_nanosleep: case SYS_pause: case SYS_rt_sigsuspend: case SYS_rt_sigtimedwait:
    case SYS_poll: case SYS_ppoll: case SYS_select: case SYS_pselect6:
    case SYS_epoll_wait: case SYS_epoll_pwait: case SYS_epoll_pwait2: case SYS_io_getevents: case SYS_io_uring_enter:
    case SYS_futex: case SYS_semop: case SYS_semtimedop: case SYS_msgrcv: case SYS_msgsnd:
    // Those of a socket with a limit of time (SO_RCVTIMEO, SO_SNDTIMEO).
    case SYS_read: case SYS_readv: case SYS_recvfrom: case SYS_recvmsg: case SYS_recvmmsg: case SYS_accept:
    case SYS_accept4: case SYS_write: case SYS_writev: case SYS_sendto: case SYS_sendmsg: case SYS_sendmmsg:
    case SYS_sendfile: case SYS_splice: case SYS_connect:
      registers[REG_RAX] = number;
      registers[REG_RIP] -= 2;
      break;
    default: break;
  }
}

#elif defined(__aarch64__)

static void read_registers(const ucontext_t *context, rlt_registers *registers) {
  rlt_set_register(registers, RLT_REGISTER_FP, context->uc_mcontext.regs[29]);
  rlt_set_register(registers, RLT_REGISTER_SP, context->uc_mcontext.sp);
  rlt_set_register(registers, RLT_REGISTER_PC, context->uc_mcontext.pc);
}

static void resume_system_call(ucontext_t *context) { (void)context; }

#endif

// Copies as much of the stack as exists. Returns 0 if nothing could be copied. One thread at a time may copy.
static size_t copy_stack(uint64_t start) {
  // The end of the stack is not known, and a copy beyond it fails as a whole. So the copy consists of pieces that
  // each lie within one page. The list is not on the stack, because signal stacks are small.
  enum { PIECES = 32, PAGE = 4096 };
  static struct iovec there[PIECES];
  size_t copied = 0;
  while (copied < STACK_BYTES) {
    struct iovec here = {stack_copy + copied, 0};
    for (int i = 0; i < PIECES; i++) {
      uint64_t at = start + copied + here.iov_len;
      size_t bytes = PAGE - at % PAGE;
      if (bytes > STACK_BYTES - copied - here.iov_len) bytes = STACK_BYTES - copied - here.iov_len;
      there[i] = (struct iovec){(void *)(uintptr_t)at, bytes};
      here.iov_len += bytes;
    }
    ssize_t got = syscall(SYS_process_vm_readv, (long)getpid(), &here, 1L, there, (long)PIECES, 0L);
    if (got <= 0) break;
    copied += (size_t)got;
    if ((size_t)got < here.iov_len) break;
  }
  return copied;
}

// The signal handler, on the interrupted thread: copies the thread's own stack. The thread is interrupted for as long
// as that takes, even if the sampling thread does not run.
static void answer(int signal, siginfo_t *information, void *context) {
  (void)information;
  int kept_errno = errno;
  for (int i = 0; i < 2; i++)
    if (taken[i].number == signal) __atomic_store_n(&taken[i].is_pending, 0, __ATOMIC_RELAXED);
  // The program filtered its system calls after the signal was sent.
  if (are_calls_filtered()) return;
  // The signal of an earlier request may arrive late, on another thread.
  uint32_t wanted = __atomic_load_n(&request, __ATOMIC_ACQUIRE), number = wanted - WANTED;
  if (wanted % STATES == WANTED
      && __atomic_load_n(&requested_thread, __ATOMIC_ACQUIRE) == (uint32_t)syscall(SYS_gettid)
      && __atomic_compare_exchange_n(&request, &wanted, number + COPIES, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
    interrupted.known = 0;
    read_registers(context, &interrupted);
    interrupted_bytes = copy_stack(interrupted.values[RLT_REGISTER_SP]);
    __atomic_store_n(&request, number + HAS_COPIED, __ATOMIC_RELEASE);
    futex(&request, FUTEX_WAKE, 1, NULL);
  }
  resume_system_call(context);
  errno = kept_errno;
}

static int is_ours(const struct sigaction *action) {
  return (action->sa_flags & SA_SIGINFO) != 0 && action->sa_sigaction == answer;
}

int rlt_has_small_signal_stack;

// Installs our handler. Returns 0 if the signal cannot be used because the program handles it.
static int take_signal(taken_signal *own, int signal) {
  struct sigaction now, ours = {.sa_flags = SA_SIGINFO | SA_RESTART};
  // A coroutine's stack may be small.
  if (!__atomic_load_n(&rlt_has_small_signal_stack, __ATOMIC_RELAXED)) ours.sa_flags |= SA_ONSTACK;
  ours.sa_sigaction = answer;
  sigemptyset(&ours.sa_mask);
  if (sigaction(signal, NULL, &now) != 0) return 0;
  if (!is_ours(&now)) {
    if ((now.sa_flags & SA_SIGINFO) != 0 || (now.sa_handler != SIG_DFL && now.sa_handler != SIG_IGN)) return 0;
    own->programs_action = now;
    own->number = signal;
  } else if (((now.sa_flags ^ ours.sa_flags) & SA_ONSTACK) == 0) {
    return 1;
  }
  if (sigaction(signal, &ours, NULL) == 0) return 1;
  own->number = 0;
  return 0;
}

void rlt_end_sampling(void) {
  for (int i = 0; i < 2; i++) {
    struct sigaction now;
    if (taken[i].number == 0 || __atomic_load_n(&taken[i].is_pending, __ATOMIC_RELAXED)) continue;
    if (sigaction(taken[i].number, NULL, &now) == 0 && is_ours(&now))
      sigaction(taken[i].number, &taken[i].programs_action, NULL);
    taken[i].number = 0;
  }
}

static int is_blocked(const rlt_thread_evidence *evidence, int signal) {
  return evidence->blocked_signals != UINT64_MAX && (evidence->blocked_signals >> (signal - 1) & 1) != 0;
}

// Makes the copy available to the sampling thread. Returns 0 if there is no memory, or if the thread of an earlier
// request still copies.
static int own_copy(void) {
  if (stack_copy == NULL) {
    void *memory = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return 0;
    stack_copy = memory;
  }
  if (__atomic_load_n(&request, __ATOMIC_ACQUIRE) % STATES != COPIES) return 1;
  // In a forked child, the copying thread does not exist.
  return syscall(SYS_tgkill, getpid(), (pid_t)requested_thread, 0) != 0;
}

// The time that a thread has to run, and again to copy its stack.
enum { LIMIT_NS = 20000000 };

// Returns the processor time of a thread of this process up to this moment.
static uint64_t cpu_ns(uint64_t thread) {
  enum { OF_THREAD = 6 };  // in the id of a clock, as in the kernel: CPUCLOCK_PERTHREAD_MASK | CPUCLOCK_SCHED
  struct timespec used = {0, 0};
  clock_gettime((clockid_t)(~(uint32_t)thread << 3 | OF_THREAD), &used);
  return (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
}

// Waits until a thread that was ready to run has run. Until then it may still be in the system call in which it slept,
// and a signal would end that call. Returns RLT_SAMPLED if it can get the signal.
static rlt_sample_result wait_for_run(uint64_t thread, const rlt_thread_evidence *evidence) {
  static const struct timespec rest = {.tv_nsec = 500000};
  uint64_t end = rlt_monotonic_ns() + LIMIT_NS, used_ns = cpu_ns(thread);
  // The time grows while the thread has a processor.
  if (cpu_ns(thread) != used_ns) return RLT_SAMPLED;
  do {
    nanosleep(&rest, NULL);
    int has_run = cpu_ns(thread) != used_ns;
    if (!rlt_runs_as_before(thread, evidence)) return RLT_MOVED_ON;
    if (has_run) return RLT_SAMPLED;
  } while (rlt_monotonic_ns() < end);
  return RLT_DOES_NOT_ANSWER;
}

// Waits until the interrupted thread has copied its stack. Returns 0 if that takes too long.
static int wait_for_copy(uint32_t number) {
  uint64_t end = rlt_monotonic_ns() + LIMIT_NS;
  for (;;) {
    uint32_t now = __atomic_load_n(&request, __ATOMIC_ACQUIRE);
    if (now == number + HAS_COPIED) return 1;
    uint64_t moment = rlt_monotonic_ns();
    if (moment >= end) return 0;
    struct timespec rest = {.tv_nsec = (long)(end - moment)};
    futex(&request, FUTEX_WAIT, now, &rest);
  }
}

static rlt_sample_result sample_running(
    uint64_t thread, const rlt_thread_evidence *evidence, int signal, rlt_registers *registers,
    rlt_stack_bytes *stack) {
  if (are_calls_filtered()) return RLT_CALLS_ARE_FILTERED;
  int other = signal > 0 && is_blocked(evidence, signal);
  taken_signal *own = &taken[other];
  if (other) signal = SIGPROF;
  // The program would find a blocked signal with sigwait or a signalfd.
  if (other && is_blocked(evidence, signal)) return RLT_DOES_NOT_ANSWER;
  if (!take_signal(own, signal)) return other ? RLT_DOES_NOT_ANSWER : RLT_SIGNAL_IS_TAKEN;
  rlt_sample_result can_run = wait_for_run(thread, evidence);
  if (can_run != RLT_SAMPLED) return can_run;
  uint32_t number = (__atomic_load_n(&request, __ATOMIC_ACQUIRE) / STATES + 1) * STATES, now = number + WANTED;
  __atomic_store_n(&requested_thread, (uint32_t)thread, __ATOMIC_RELEASE);
  __atomic_store_n(&request, now, __ATOMIC_RELEASE);
  __atomic_store_n(&own->is_pending, 1, __ATOMIC_RELAXED);
  if (syscall(SYS_tgkill, getpid(), (pid_t)thread, signal) != 0) {
    __atomic_store_n(&request, number + NO_REQUEST, __ATOMIC_RELEASE);
    __atomic_store_n(&own->is_pending, 0, __ATOMIC_RELAXED);
    return RLT_MOVED_ON;
  }
  if (wait_for_copy(number)) {
    *registers = interrupted;
    stack->start = registers->values[RLT_REGISTER_SP];
    stack->count = interrupted_bytes;
    return RLT_SAMPLED;
  }
  return __atomic_compare_exchange_n(&request, &now, number + NO_REQUEST, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)
             ? RLT_DOES_NOT_ANSWER : RLT_MOVED_ON;
}

rlt_sample_result rlt_sample(
    uint64_t thread, const rlt_thread_evidence *evidence, int signal, uint64_t *frames, size_t *count) {
  rlt_registers registers = {.known = 0};
  rlt_stack_bytes stack = {0, 0, NULL};
  rlt_sample_result result = RLT_SAMPLED;
  *count = 0;
  if (!own_copy()) return RLT_MOVED_ON;
  int is_hidden = evidence->stack_pointer == UINT64_MAX;
  if (evidence->stack_pointer != 0 && !is_hidden) {
    rlt_set_register(&registers, RLT_REGISTER_SP, evidence->stack_pointer);
    rlt_set_register(&registers, RLT_REGISTER_PC, evidence->program_counter);
    stack.start = evidence->stack_pointer;
    stack.count = copy_stack(stack.start);
    if (!rlt_sleeps_as_before(thread, evidence)) return RLT_MOVED_ON;
  } else if (evidence->state != 'R') {
    return is_hidden ? RLT_PLACE_IS_HIDDEN : RLT_MOVED_ON;
  } else {
    result = sample_running(thread, evidence, signal, &registers, &stack);
    if (result != RLT_SAMPLED) return result;
  }
  stack.bytes = stack_copy;
  *count = rlt_unwind(&registers, &stack, (uintptr_t)answer, frames, RLT_FRAMES_MAX);
  return RLT_SAMPLED;
}

const char *rlt_stack_sampling(void) { return "signals"; }

#endif
