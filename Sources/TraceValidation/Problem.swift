import TraceFormat

/// The kinds of faults in a trace, in ascending order of severity.
public enum Fault: String, CaseIterable, Comparable, Sendable {
  /// All bytes are intact, but describe something that no run loop does.
  case illegal
  /// The end is missing; the rest is intact.
  case cutShort = "cut-short"
  /// The bytes contradict their checksums or each other.
  case damaged

  public static func < (a: Fault, b: Fault) -> Bool {
    (allCases.firstIndex(of: a) ?? 0) < (allCases.firstIndex(of: b) ?? 0)
  }

  init(_ error: TraceFormatError) {
    if case .truncated = error { self = .cutShort } else { self = .damaged }
  }
}

/// A problem in a trace, with its place.
public struct Problem: Equatable, Sendable {
  public var fault: Fault
  public var what: String
  public var block: Int
  /// The offset of the block, or of the region that is not a block.
  public var offset: UInt64
  /// The time of the event, or the earliest time of the lost part; nil = not known.
  public var time: UInt64?
  public var thread: UInt32?
}
