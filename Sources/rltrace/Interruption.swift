import Foundation

/// A signal that is to end the process ends a recording of this process well: what was recorded is kept, as a complete trace.
enum Interruption {
  /// Signals that wait for `end`: no thread that is made from now on gets them. Called on the main thread, before anything is
  /// made that a signal would leave unfinished.
  struct Signals: Sendable {
    fileprivate var numbers = sigset_t()
  }

  /// SIGHUP stays ignored under `nohup`. A script's background process ignores SIGINT and SIGQUIT by itself, but whoever sends
  /// one to it alone means it.
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

  /// From now on, and for those that came since `hold`: `close` completes the trace; then the process ends with 128 + the
  /// signal's number, or with the status of what `close` threw.
  static func end(on signals: Signals, close: @escaping @Sendable () throws(Failure) -> Void) {
    // A thread of its own: the main thread is in the recorded loop.
    let thread = Thread {
      var numbers = signals.numbers
      var number: Int32 = 0
      while sigwait(&numbers, &number) != 0 {}
      // The progress bar stands on the line.
      if Terminal.errorIsTerminal { Terminal.writeError("\r\u{1B}[K") }
      do throws(Failure) {
        try close()
      } catch {
        _exit(error.report().rawValue)
      }
      Terminal.complain("interrupted; the trace holds what was recorded until then")
      // Not `exit`: the loop goes on, and would use what that takes down.
      _exit(128 + number)
    }
    thread.name = "signals"
    thread.start()
  }
}
