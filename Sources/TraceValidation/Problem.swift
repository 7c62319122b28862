import TraceFormat

/// What kind of fault a trace has. The later, the graver.
public enum Fault: String, CaseIterable, Comparable, Sendable {
  /// All bytes are intact, and say what no run loop does.
  case illegal
  /// The end is missing; what is there is intact.
  case cutShort = "cut-short"
  /// Bytes contradict their checksums or each other.
  case damaged

  public static func < (a: Fault, b: Fault) -> Bool {
    (allCases.firstIndex(of: a) ?? 0) < (allCases.firstIndex(of: b) ?? 0)
  }

  init(_ error: TraceFormatError) {
    if case .truncated = error { self = .cutShort } else { self = .damaged }
  }
}

/// One thing that is wrong with a trace, and where.
public struct Problem: Equatable, Sendable {
  public var fault: Fault
  public var what: String
  public var block: Int
  /// Of the block, or of the stretch that is none.
  public var offset: UInt64
  /// Nil where no event is to blame.
  public var time: UInt64?
  public var thread: UInt32?
}
