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
    package var endNs: UInt64 { startNs &+ durationNs &+ suspendedNs }
    /// Nil if it is open, or ended on a thread without a loop of its own.
    package var hold: Hold?
    package init() {}
  }

  /// The work of a loop while an interval lasted that ended on the loop's thread: other work, or the interval's own.
  package struct Hold: Sendable {
    /// The part of the interval in certain listed busy intervals of the loop. Suspension, time outside runs and
    /// shorter busy intervals are left out.
    package var ns: UInt64 = 0
    /// The callout that took at least half of that part, wherever in the busy intervals it ran; nil if none certainly
    /// did.
    package var kind: String?
    package var callout: String?
    /// The program's function for which the same holds, according to sampled stacks, with file and line if known.
    package var function: String?
    package init() {}

    /// The function, or else `timer refresh`; nil if neither is known.
    package var holder: String? { function ?? callout.map { "\(kind ?? "") \($0)" } }
  }

  package struct NamedIntervals: Sendable {
    package var name: String = ""
    /// The number of intervals that were still open at the end of the span.
    package var open: UInt64 = 0
    /// The durations of the intervals that began and ended in the span.
    package var durationNs = Distribution()
    /// The sum of its listed intervals; nil if none of them ended on a loop's thread.
    package var heldNs: UInt64?
    /// The holder in the interval that was held longest; nil if not known.
    package var holder: String?
    package init() {}
  }
}
