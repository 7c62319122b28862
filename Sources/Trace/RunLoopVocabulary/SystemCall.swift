/// The names of Linux system calls in which threads sleep.
package enum SystemCall {
  /// Returns the name of a system call. `machine`: the machine according to uname(2). Nil for calls in which threads
  /// do not sleep, and on other machines.
  package static func name(_ number: UInt64, machine: String) -> String? {
    switch machine {
    case "x86_64": x86[number]
    case "aarch64": arm[number]
    default: nil
    }
  }

  private static let x86: [UInt64: String] = [
    0: "read", 1: "write", 2: "open", 3: "close", 4: "stat", 5: "fstat", 6: "lstat", 7: "poll", 9: "mmap",
    16: "ioctl",
    17: "pread64", 18: "pwrite64", 19: "readv", 20: "writev", 23: "select", 34: "pause", 35: "nanosleep",
    42: "connect", 43: "accept", 44: "sendto", 45: "recvfrom", 46: "sendmsg", 47: "recvmsg", 61: "wait4",
    65: "semop", 70: "msgrcv", 72: "fcntl", 73: "flock", 74: "fsync", 75: "fdatasync", 76: "truncate",
    77: "ftruncate", 78: "getdents", 82: "rename", 87: "unlink", 128: "rt_sigtimedwait", 130: "rt_sigsuspend",
    162: "sync", 202: "futex", 217: "getdents64", 220: "semtimedop", 230: "clock_nanosleep",
    232: "epoll_wait",
    247: "waitid", 257: "openat", 262: "newfstatat", 263: "unlinkat", 264: "renameat", 270: "pselect6",
    271: "ppoll",
    275: "splice", 277: "sync_file_range", 281: "epoll_pwait", 285: "fallocate", 288: "accept4",
    295: "preadv",
    296: "pwritev", 299: "recvmmsg", 306: "syncfs", 307: "sendmmsg", 326: "copy_file_range", 332: "statx",
    426: "io_uring_enter", 441: "epoll_pwait2", 449: "futex_waitv",
  ]

  private static let arm: [UInt64: String] = [
    22: "epoll_pwait", 25: "fcntl", 29: "ioctl", 32: "flock", 35: "unlinkat", 46: "ftruncate",
    47: "fallocate",
    56: "openat", 57: "close", 61: "getdents64", 63: "read", 64: "write", 65: "readv", 66: "writev",
    67: "pread64",
    68: "pwrite64", 69: "preadv", 70: "pwritev", 72: "pselect6", 73: "ppoll", 76: "splice", 79: "newfstatat",
    80: "fstat", 81: "sync", 82: "fsync", 83: "fdatasync", 84: "sync_file_range", 95: "waitid", 98: "futex",
    101: "nanosleep", 115: "clock_nanosleep", 133: "rt_sigsuspend", 137: "rt_sigtimedwait", 188: "msgrcv",
    192: "semtimedop", 193: "semop", 202: "accept", 203: "connect", 206: "sendto", 207: "recvfrom",
    211: "sendmsg",
    212: "recvmsg", 222: "mmap", 242: "accept4", 243: "recvmmsg", 260: "wait4", 267: "syncfs",
    276: "renameat2",
    285: "copy_file_range", 291: "statx", 426: "io_uring_enter", 441: "epoll_pwait2", 449: "futex_waitv",
  ]
}
