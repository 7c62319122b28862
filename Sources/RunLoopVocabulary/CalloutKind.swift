/// What a run loop calls: the kinds of its callouts.
public enum CalloutKind: String, Sendable, CaseIterable {
  case timer
  case source0
  case source1
  /// Of CFRunLoopPerformBlock.
  case block
  /// The loop serves the main dispatch queue.
  case mainQueueDrain
  case mainQueueBlock
  /// An observer of the program.
  case observer

  /// What is called is gone afterwards.
  public var runsOnce: Bool { self == .block || self == .mainQueueBlock }

  /// All observers of one activity together, where each of them was not recorded.
  public static let observers = "observers"
}
