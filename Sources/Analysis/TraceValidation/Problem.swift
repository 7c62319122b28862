import TraceFormat

/// The kinds of faults in a trace, in ascending order of severity.
package enum Fault: String, CaseIterable, Comparable, Sendable {
  /// All bytes are intact, but describe something that no run loop does.
  case illegal
  /// The end is missing; the rest is intact.
  case cutShort = "cut-short"
  /// The bytes contradict their checksums or each other.
  case damaged

  package static func < (a: Fault, b: Fault) -> Bool {
    (allCases.firstIndex(of: a) ?? 0) < (allCases.firstIndex(of: b) ?? 0)
  }

  init(_ error: TraceFormatError) {
    if case .truncated = error { self = .cutShort } else { self = .damaged }
  }
}

/// A problem in a trace, with its place.
package struct Problem: Equatable, Sendable {
  package var fault: Fault
  package var what: String
  package var block: Int
  /// The offset of the block, or of the region that is not a block.
  package var offset: UInt64
  /// The time of the event, or the earliest time of the lost part; nil = not known.
  package var time: UInt64?
  package var thread: UInt32?
}
