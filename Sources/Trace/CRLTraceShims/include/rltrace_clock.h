// Clocks: the cycle counter if it can be trusted, otherwise CLOCK_MONOTONIC.
#ifndef RLTRACE_CLOCK_H
#define RLTRACE_CLOCK_H

#include <stdint.h>
#include <time.h>
#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

static inline uint64_t rlt_clock_ns(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#if defined(__APPLE__)
// The first one is the clock of mach_absolute_time, which CFRunLoop uses for TSR on Apple systems.
enum { RLT_MONOTONIC = CLOCK_UPTIME_RAW, RLT_BOOTTIME = CLOCK_MONOTONIC_RAW, RLT_COARSE = CLOCK_UPTIME_RAW_APPROX };
#else
enum { RLT_MONOTONIC = CLOCK_MONOTONIC, RLT_BOOTTIME = CLOCK_BOOTTIME, RLT_COARSE = CLOCK_MONOTONIC_COARSE };
#endif

static inline uint64_t rlt_monotonic_ns(void) { return rlt_clock_ns(RLT_MONOTONIC); }
// Includes the time that the system was asleep.
static inline uint64_t rlt_boottime_ns(void) { return rlt_clock_ns(RLT_BOOTTIME); }
// A cheap clock with a resolution of a few milliseconds, for decisions that need no better one.
static inline uint64_t rlt_coarse_ns(void) { return rlt_clock_ns(RLT_COARSE); }
static inline uint64_t rlt_realtime_ns(void) { return rlt_clock_ns(CLOCK_REALTIME); }
static inline uint64_t rlt_thread_cpu_ns(void) { return rlt_clock_ns(CLOCK_THREAD_CPUTIME_ID); }

// Returns the raw cycle counter; 0 if user code cannot read one on this architecture.
static inline uint64_t rlt_cycles(void) {
#if defined(__x86_64__)
  return __rdtsc();
#elif defined(__aarch64__)
  uint64_t value;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(value));
  return value;
#else
  return 0;
#endif
}

// Returns whether the cycle counter runs at a constant rate in all states of the core. x86: CPUID 0x80000007 EDX bit
// 8 (invariant TSC). arm64: the generic timer always does.
static inline int rlt_cycles_are_invariant(void) {
#if defined(__x86_64__)
  unsigned a, b, c, d;
  return __get_cpuid(0x80000007u, &a, &b, &c, &d) && (d & (1u << 8)) != 0;
#elif defined(__aarch64__)
  return 1;
#else
  return 0;
#endif
}

#endif
