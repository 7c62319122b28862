/// The kinds of callouts of a run loop.
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

  /// Whether the called item no longer exists afterwards.
  @usableFromInline package var runsOnce: Bool {
    switch self {
    case .block, .mainQueueBlock: true
    case .timer, .source0, .source1, .mainQueueDrain, .observer: false
    }
  }

  /// The name for all observers of one activity together, if they were not recorded individually.
  package static let observers = "observers"
}
