import Foundation

/// Ends the recording of this process cleanly on a signal that ends the process: the trace is complete and holds the
/// events until then.
enum Interruption {
  /// The signals that are blocked until `end`; threads that start later inherit the block. Call `hold` on the main
  /// thread before anything starts that a signal would leave unfinished.
  struct Signals: Sendable {
    fileprivate var numbers = sigset_t()
  }

  /// Blocks the signals. SIGHUP stays ignored under `nohup`. A script's background process ignores SIGINT and SIGQUIT
  /// by default, but a user who sends one of them to that process alone wants to end it.
  static func hold() -> Signals {
    var signals = Signals()
    sigemptyset(&signals.numbers)
    for number in UnfinishedFiles.signals
    where [SIGINT, SIGQUIT, SIGTERM].contains(number) || !isIgnored(signal: number) {
      sigaddset(&signals.numbers, number)
    }
    pthread_sigmask(SIG_BLOCK, &signals.numbers, nil)
    return signals
  }

  /// Handles signals from now on, including those since `hold`. `close` completes the trace. Then the process ends
  /// with 128 + the signal's number, or with the status of the error that `close` threw.
  static func end(on signals: Signals, close: @escaping @Sendable () throws(Failure) -> Void) {
    // The main thread is in the recorded loop, so this needs another thread.
    let thread = Thread {
      var numbers = signals.numbers
      var number: Int32 = 0
      while sigwait(&numbers, &number) != 0 {}
      // Clear the progress bar on this line.
      if Terminal.errorIsTerminal { Terminal.writeError("\r\u{1B}[K") }
      do throws(Failure) {
        try close()
      } catch {
        _exit(error.report().rawValue)
      }
      Terminal.complain("interrupted; the trace holds everything recorded until then")
      // `exit` would release resources that the running loop still uses.
      _exit(128 + number)
    }
    thread.name = "signals"
    thread.start()
  }
}
