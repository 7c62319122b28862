/// The names of Linux signals.
package enum SignalName {
  private static let known: [UInt64: (name: String, words: String)] = [
    1: ("SIGHUP", "hang-up"), 2: ("SIGINT", "interrupt"), 3: ("SIGQUIT", "quit"),
    4: ("SIGILL", "illegal instruction"), 5: ("SIGTRAP", "trap"), 6: ("SIGABRT", "abort"),
    7: ("SIGBUS", "bus error"), 8: ("SIGFPE", "arithmetic error"), 9: ("SIGKILL", "killed"),
    10: ("SIGUSR1", "user-defined signal"), 11: ("SIGSEGV", "invalid memory access"),
    12: ("SIGUSR2", "user-defined signal"), 13: ("SIGPIPE", "broken pipe"), 14: ("SIGALRM", "alarm clock"),
    15: ("SIGTERM", "termination request"), 16: ("SIGSTKFLT", "stack fault"), 17: ("SIGCHLD", "child ended"),
    18: ("SIGCONT", "continue"), 19: ("SIGSTOP", "stop"), 20: ("SIGTSTP", "terminal stop"),
    21: ("SIGTTIN", "background terminal input"), 22: ("SIGTTOU", "background terminal output"),
    23: ("SIGURG", "urgent data"), 24: ("SIGXCPU", "CPU time limit exceeded"),
    25: ("SIGXFSZ", "file size limit exceeded"),
    26: ("SIGVTALRM", "CPU time alarm"), 27: ("SIGPROF", "profiling timer expired"),
    28: ("SIGWINCH", "window size changed"), 29: ("SIGIO", "I/O possible"),
    30: ("SIGPWR", "power failure"),
    31: ("SIGSYS", "forbidden system call"),
  ]

  /// `SIGILL`; for a signal without a name, `signal 40`.
  package static func name(_ number: UInt64) -> String { known[number]?.name ?? "signal \(number)" }

  /// The meaning of the signal; empty when it is not known.
  package static func words(_ number: UInt64) -> String { known[number]?.words ?? "" }

  /// Signals that a fault of the program itself causes.
  package static let ofFaults: Set<UInt64> = [4, 5, 6, 7, 8, 11, 31]

  /// Signals by which a terminal, a service manager or a user asks a program to end.
  package static let ofRequests: Set<UInt64> = [1, 2, 3, 15]

  /// The signal that no program can handle. Only another process or the system sends it.
  package static let kill: UInt64 = 9
}
