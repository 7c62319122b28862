#ifdef __linux__
#define _GNU_SOURCE
#include "restrictions.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>

#include "programs.h"

enum { TICKS = 40, LONG_TICKS_FROM = 20, LONG_TICK_MS = 150 };

static int is_long(int tick) { return tick >= LONG_TICKS_FROM && tick % 5 == 0; }

// Runs a loop with a timer and another descriptor. The timer calls `tick` with its number, which computes at times.
// `ready` is called for the other descriptor.
static void serve(int other, void (*tick)(int number), void (*ready)(int descriptor)) {
  int set = checked(epoll_create1(0)), timer = checked(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK));
  struct itimerspec every = {.it_interval = of_ms(10), .it_value = of_ms(10)};
  checked(timerfd_settime(timer, 0, &every, NULL));
  add(set, timer);
  if (other >= 0) add(set, other);
  for (int ticks = 0; ticks < TICKS;) {
    struct epoll_event found;
    if (epoll_wait(set, &found, 1, -1) != 1) continue;
    if (found.data.fd != timer) {
      ready(other);
    } else if (taken(timer) != 0) {
      if (tick != NULL) tick(ticks);
      if (is_long(ticks)) compute(LONG_TICK_MS);
      ticks++;
    }
  }
  close(timer);
  close(set);
}

// MARK: Signals

static void print_signal(int descriptor) {
  struct signalfd_siginfo signal;
  while (read(descriptor, &signal, sizeof signal) == sizeof signal) printf("signal %u\n", signal.ssi_signo);
}

void block_signals(void) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, NULL);
  serve(checked(signalfd(-1, &all, SFD_NONBLOCK)), NULL, print_signal);
}

void use_small_signal_stack(void) {
  enum { PAGE = 4096, SMALL = 2048 };
  // The memory below it does not exist.
  char *memory = mmap(NULL, 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) exit(SYSTEM_ERROR);
  checked(mprotect(memory + PAGE, PAGE, PROT_READ | PROT_WRITE));
  stack_t stack = {.ss_sp = memory + PAGE, .ss_size = SMALL};
  checked(sigaltstack(&stack, NULL));
  serve(-1, NULL, NULL);
}

// MARK: Descriptors

static void make_descriptors(int tick) {
  static int lowest = -1, has_printed;
  for (int i = 0; i < 100000 && is_long(tick) && !has_printed; i++) {
    int made = checked(dup(STDERR_FILENO));
    if (lowest < 0) lowest = made;
    has_printed = made != lowest;
    if (has_printed) printf("descriptor %d instead of %d\n", made, lowest);
    close(made);
  }
}

void number_descriptors(void) { serve(-1, make_descriptors, NULL); }

// MARK: System calls

// The calls of the loop, and of the end of a process.
static const int permitted[] = {
    SYS_read, SYS_write, SYS_close, SYS_futex, SYS_clock_gettime, SYS_rt_sigreturn, SYS_exit, SYS_exit_group, SYS_fstat,
    SYS_newfstatat, SYS_epoll_pwait, SYS_epoll_ctl, SYS_brk, SYS_mmap, SYS_munmap, SYS_ioctl, SYS_getrandom,
#ifdef SYS_epoll_wait
    SYS_epoll_wait,
#endif
};
enum { PERMITTED = sizeof permitted / sizeof *permitted };

static void install_filter(int of_all) {
  struct sock_filter code[2 * PERMITTED + 2] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
  unsigned short length = 1;
  for (int i = 0; i < PERMITTED; i++) {
    code[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)permitted[i], 0, 1);
    code[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  }
  code[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
  struct sock_fprog program = {.len = length, .filter = code};
  checked(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
  if (of_all) checked((int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program));
  else checked(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program));
}

static int filter_tick, is_filter_of_all;

static void filter_at_tick(int number) {
  if (number == filter_tick) install_filter(is_filter_of_all);
}

void filter_calls(int of_all, int in_loop) {
  is_filter_of_all = of_all;
  filter_tick = in_loop ? LONG_TICKS_FROM + 1 : 0;
  serve(-1, filter_at_tick, NULL);
}
#endif
