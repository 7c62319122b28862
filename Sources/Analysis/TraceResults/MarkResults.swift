/// The marks that the program set, and the intervals from a begin to an end.
package struct MarkResults: Sendable {
  /// The first marks, in time order.
  package var marks: [Mark] = []
  package var marksOmitted = 0
  /// The longest intervals, in order of their starts.
  package var intervals: [Interval] = []
  package var intervalsOmitted = 0
  /// All intervals by name, most time first.
  package var byName: [NamedIntervals] = []
  package init() {}

  package var isEmpty: Bool { marks.isEmpty && intervals.isEmpty && byName.isEmpty }

  package typealias Mark = (name: String, timeNs: UInt64, thread: UInt32)

  package struct Interval: Sendable {
    package var name: String = ""
    package var startNs: UInt64 = 0
    /// Without suspension.
    package var durationNs: UInt64 = 0
    /// Suspended time, in addition to `durationNs`.
    package var suspendedNs: UInt64 = 0
    /// The thread on which it began.
    package var thread: UInt32 = 0
    /// The thread on which it ended; nil while it is open.
    package var endThread: UInt32?
    /// Whether it began before the span; `startNs` is then the beginning of the span.
    package var isCut: Bool = false
    /// Whether it was still open at the end of the span.
    package var isOpen: Bool { endThread == nil }
    package init() {}
  }

  package struct NamedIntervals: Sendable {
    package var name: String = ""
    /// The number of intervals that were still open at the end of the span.
    package var open: UInt64 = 0
    /// The durations of the intervals that began and ended in the span.
    package var durationNs = Distribution()
    package init() {}
  }
}
