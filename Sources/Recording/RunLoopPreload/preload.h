// Common header. Every file of the preload library includes it first.
//
// The library is loaded into arbitrary programs. It needs libc only, finds CoreFoundation at run time, exports only
// the functions that it interposes, and does nothing unless its variables are set.
#ifndef RLP_PRELOAD_H
#define RLP_PRELOAD_H

#define _GNU_SOURCE
#define RLT_TLS_INITIAL_EXEC

// libc's declarations come before the pragma, so they are not hidden.
#include <alloca.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <linux/fs.h>
#include <linux/futex.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

// For functions that call the program's work: Swift's crash reports follow frame pointers to the frames behind it.
#define RLP_KEEP_FRAME() __asm__ volatile("" : : "r"(__builtin_frame_address(0)))

#define RLP_EXPORT __attribute__((visibility("default")))
#pragma GCC visibility push(hidden)

#include "rltrace_emit.h"
#include "rltrace_ids.h"
#include "rltrace_observe.h"
#include "rltrace_platform.h"
#include "rltrace_sentinel.h"
#include "rltrace_timers.h"
#include "rltrace_topology.h"
#include "rltrace_vocabulary.h"

#endif
