/// The marks that the program set, and the intervals from a begin to an end.
public struct MarkResults: Sendable {
  /// The first marks, in time order.
  public var marks: [Mark] = []
  public var marksOmitted = 0
  /// The longest intervals, in order of their starts.
  public var intervals: [Interval] = []
  public var intervalsOmitted = 0
  /// All intervals by name, most time first.
  public var byName: [NamedIntervals] = []
  public init() {}

  public var isEmpty: Bool { marks.isEmpty && intervals.isEmpty && byName.isEmpty }

  public typealias Mark = (name: String, timeNs: UInt64, thread: UInt32)

  public struct Interval: Sendable {
    public var name: String = ""
    public var startNs: UInt64 = 0
    /// Without suspension.
    public var durationNs: UInt64 = 0
    /// Suspended time, in addition to `durationNs`.
    public var suspendedNs: UInt64 = 0
    /// The thread on which it began.
    public var thread: UInt32 = 0
    /// The thread on which it ended; nil while it is open.
    public var endThread: UInt32?
    /// Whether it began before the span; `startNs` is then the beginning of the span.
    public var isCut: Bool = false
    /// Whether it was still open at the end of the span.
    public var isOpen: Bool { endThread == nil }
    package init() {}
  }

  public struct NamedIntervals: Sendable {
    public var name: String = ""
    /// The number of intervals that were still open at the end of the span.
    public var open: UInt64 = 0
    /// The durations of the intervals that began and ended in the span.
    public var durationNs = Distribution()
    package init() {}
  }
}
