// The program filters its system calls. The system may kill it for a call that only this library makes. So no event
// loop begins from then on, no signal is sent to sample a stack, and some calls are left out.
#include <linux/seccomp.h>
#include <sys/prctl.h>

#include "interposing.h"

// Notes that a filter is about to be installed. Returns whether there was one.
static int begin_filter(void) { return __atomic_exchange_n(&rlt_calls_are_filtered, 1, __ATOMIC_RELAXED); }

static void end_filter(int had_filter, long result) {
  if (result < 0) __atomic_store_n(&rlt_calls_are_filtered, had_filter, __ATOMIC_RELAXED);
}

REAL(prctl)

RLP_EXPORT int prctl(int option, ...) {
  FIND_REAL(prctl, rlp_missing());
  unsigned long values[4];
  va_list rest;
  va_start(rest, option);
  for (int i = 0; i < 4; i++) values[i] = va_arg(rest, unsigned long);
  va_end(rest);
  if (option != PR_SET_SECCOMP) return real(option, values[0], values[1], values[2], values[3]);
  int had_filter = begin_filter(), result = real(option, values[0], values[1], values[2], values[3]);
  end_filter(had_filter, result);
  return result;
}

// MARK: Calls by their numbers

static long call_directly(long number, long first, long second, long third, long fourth, long fifth, long sixth);

INTERPOSED(syscall, (void *)call_directly)

// Makes a system call without the C library. An allocator makes some before functions can be looked up.
static long call_directly(long number, long first, long second, long third, long fourth, long fifth, long sixth) {
#if defined(__x86_64__)
  register long in_r10 __asm__("r10") = fourth, in_r8 __asm__("r8") = fifth, in_r9 __asm__("r9") = sixth;
  __asm__ volatile("syscall"
                   : "+a"(number)
                   : "D"(first), "S"(second), "d"(third), "r"(in_r10), "r"(in_r8), "r"(in_r9)
                   : "rcx", "r11", "memory");
  long result = number;
#elif defined(__aarch64__)
  register long result __asm__("x0") = first, in_x1 __asm__("x1") = second, in_x2 __asm__("x2") = third;
  register long in_x3 __asm__("x3") = fourth, in_x4 __asm__("x4") = fifth, in_x5 __asm__("x5") = sixth;
  register long in_x8 __asm__("x8") = number;
  __asm__ volatile("svc #0"
                   : "+r"(result)
                   : "r"(in_x1), "r"(in_x2), "r"(in_x3), "r"(in_x4), "r"(in_x5), "r"(in_x8)
                   : "memory");
#endif
  enum { ERRORS = 4095 };
  if ((unsigned long)result < -(unsigned long)ERRORS) return result;
  errno = (int)-result;
  return -1;
}

// The call seccomp(2). libseccomp asks for a feature by a call without a filter.
__attribute__((used)) static long call_seccomp(long number, long operation, long flags, long filter) {
  typedef long call(long number, long operation, long flags, long filter);
  call *real = (call *)__atomic_load_n(&interposed_syscall.real, __ATOMIC_RELAXED);
  int installs =
      operation == SECCOMP_SET_MODE_STRICT || (operation == SECCOMP_SET_MODE_FILTER && filter != 0);
  if (!installs) return real(number, operation, flags, filter);
  int had_filter = begin_filter();
  // The recorder's thread would get the filter as well.
  if ((flags & SECCOMP_FILTER_FLAG_TSYNC) != 0) rlt_sentinel_leave();
  long result = real(number, operation, flags, filter);
  end_filter(had_filter, result);
  return result;
}

// The C library has no function for seccomp(2), so programs and libseccomp make it by its number. The other calls are
// passed on as they are: how many arguments they have is not known, and a child may continue on another stack.
RLP_EXPORT __attribute__((naked)) long syscall(long number, ...) {
#if defined(__x86_64__)
  __asm__ volatile(
      "cmpq %0, %%rdi\n\tje call_seccomp\n\tmovq interposed_syscall + %c1(%%rip), %%r11\n\tjmpq *%%r11"
      :
      : "i"(SYS_seccomp), "i"(offsetof(rlp_interposed, real)));
#elif defined(__aarch64__)
  __asm__ volatile(
      "cmp x0, %0\n\tb.eq call_seccomp\n\tadrp x16, interposed_syscall + %c1\n\t"
      "ldr x16, [x16, :lo12:interposed_syscall + %c1]\n\tbr x16"
      :
      : "i"(SYS_seccomp), "i"(offsetof(rlp_interposed, real)));
#endif
}
