/// How a program ended.
package enum ProgramEnd: Sendable, Equatable {
  case exited(Int32)
  case signalled(Int32)

  /// Creates the value from the status that wait(2) returns for a process that has ended.
  package init(waitStatus status: Int32) {
    self = status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .signalled(status & 0x7F)
  }

  /// Whether one of these signals ended the program.
  package func isCaused(by signals: Set<Int32>) -> Bool {
    guard case .signalled(let number) = self else { return false }
    return signals.contains(number)
  }

  /// The status as a shell reports it: the exit status, or 128 + the signal's number.
  package var status: Int32 {
    switch self {
    case .exited(let status): status
    case .signalled(let number): 128 + number
    }
  }
}
