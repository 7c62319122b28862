import Foundation

/// The signals that the command ignores but its parent did not. A closed pipe or a file-size limit is then an ordinary
/// write error instead of a signal that ends the process. Programs started from here get the signals back.
enum IgnoredSignals {
  private(set) nonisolated(unsafe) static var here: [Int32] = []

  /// Ignores the signals. Called once, before anything is written.
  static func begin() {
    for number in [SIGPIPE, SIGXFSZ] {
      let wasIgnored = isIgnored(signal: number)
      signal(number, SIG_IGN)
      if !wasIgnored { here.append(number) }
    }
  }
}

/// Returns whether this process, or its parent, ignores the signal. Scripts ignore some signals for background
/// processes.
func isIgnored(signal number: Int32) -> Bool {
  var action = sigaction()
  sigaction(number, nil, &action)
  #if canImport(Darwin)
  let handler = action.__sigaction_u.__sa_handler
  #else
  let handler = action.__sigaction_handler.sa_handler
  #endif
  return unsafeBitCast(handler, to: Int.self) == 1
}
