import Foundation

/// A program that uses SIGBUS, which a recorder in this process handles for the spool.
enum BusError {
  /// Sets a handler for the first SIGBUS before the first run loop. The second SIGBUS ends the process. With
  /// the argument `touched`, a memory access causes that second SIGBUS.
  static func run(_ arguments: [String]) {
    var action = sigaction()
    action.__sigaction_handler.sa_sigaction = { number, info, _ in
      let isBlocked = BusError.isBlocked(SIGUSR1)
      print("signal \(number), sent: \(info!.pointee.si_code <= 0), masked: \(isBlocked)")
    }
    action.sa_flags = Int32(bitPattern: UInt32(SA_SIGINFO) | UInt32(SA_RESETHAND))
    sigaddset(&action.sa_mask, SIGUSR1)
    sigaction(SIGBUS, &action, nil)
    LoopPrograms.timers(["1"])
    raise(SIGBUS)
    print("handled")
    guard arguments.first == "touched" else {
      raise(SIGBUS)
      return print("survived")
    }
    let file = tmpfile()!
    let memory = mmap(nil, 4096, PROT_READ, MAP_SHARED, fileno(file), 0)!
    print("survived", memory.load(as: UInt8.self))
  }

  private static func isBlocked(_ number: Int32) -> Bool {
    var mask = sigset_t()
    pthread_sigmask(SIG_BLOCK, nil, &mask)
    return sigismember(&mask, number) == 1
  }
}
