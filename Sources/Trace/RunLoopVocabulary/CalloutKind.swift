/// The kinds of callouts: calls by a run loop, and slices of work on other queues.
@usableFromInline package enum CalloutKind: String, Sendable, CaseIterable {
  case timer
  case source0
  case source1
  /// A block of CFRunLoopPerformBlock.
  case block
  /// The loop serves the main dispatch queue.
  case mainQueueDrain
  case mainQueueBlock
  /// An observer of the program.
  case observer
  /// A slice of work: a block on a Dispatch queue, or a part of a Swift task between two suspensions.
  case work

  /// Whether the called item never exists afterwards. The end of a slice of work says whether the work exists.
  @usableFromInline package var runsOnce: Bool {
    switch self {
    case .block, .mainQueueBlock: true
    case .timer, .source0, .source1, .mainQueueDrain, .observer, .work: false
    }
  }

  /// The name for all observers of one activity together, if they were not recorded individually.
  package static let observers = "observers"
}
