import Foundation

/// A signal that ends the process ends the recording of this process well: the trace is complete and holds what was
/// recorded.
enum Interruption {
  /// Signals that wait for `end`: threads made from now on do not get them. Called on the main thread, before anything
  /// is made that a signal would leave unfinished.
  struct Signals: Sendable {
    fileprivate var numbers = sigset_t()
  }

  /// SIGHUP stays ignored under `nohup`. A script's background process ignores SIGINT and SIGQUIT by itself, but a
  /// user who sends one of these to that process alone means to end it.
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

  /// Handles signals from now on, and those that came since `hold`. `close` completes the trace. Then the process ends
  /// with 128 + the signal's number, or with the status of the error that `close` threw.
  static func end(on signals: Signals, close: @escaping @Sendable () throws(Failure) -> Void) {
    // This needs its own thread, because the main thread is in the recorded loop.
    let thread = Thread {
      var numbers = signals.numbers
      var number: Int32 = 0
      while sigwait(&numbers, &number) != 0 {}
      // The progress bar is on this line.
      if Terminal.errorIsTerminal { Terminal.writeError("\r\u{1B}[K") }
      do throws(Failure) {
        try close()
      } catch {
        _exit(error.report().rawValue)
      }
      Terminal.complain("interrupted; the trace holds what was recorded until then")
      // Not `exit`: the loop goes on, and would use resources that `exit` takes down.
      _exit(128 + number)
    }
    thread.name = "signals"
    thread.start()
  }
}
