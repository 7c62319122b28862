/// The reasons why a run ends. The raw values are those of CFRunLoopRunResult.
package enum RunResult: Int, Sendable, CaseIterable {
  case finished = 1
  case stopped = 2
  case timedOut = 3
  case handledSource = 4

  package var words: String {
    switch self {
    case .finished: "finished"
    case .stopped: "stopped"
    case .timedOut: "timed out"
    case .handledSource: "handled source"
    }
  }
}
