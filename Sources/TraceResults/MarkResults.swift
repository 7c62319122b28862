/// What the program said in its own words: marks, and intervals from a begin to an end.
public struct MarkResults: Sendable {
  /// In order of time: the first ones.
  public var marks: [Mark] = []
  public var marksOmitted = 0
  /// The longest ones, in order of their starts.
  public var intervals: [Interval] = []
  public var intervalsOmitted = 0
  /// All of them by name, most time first.
  public var byName: [NamedIntervals] = []
  public init() {}

  public var isEmpty: Bool { marks.isEmpty && intervals.isEmpty && byName.isEmpty }

  public typealias Mark = (name: String, timeNs: UInt64, thread: UInt32)

  public struct Interval: Sendable {
    public var name: String = ""
    public var startNs: UInt64 = 0
    /// Without suspension.
    public var durationNs: UInt64 = 0
    /// Beside `durationNs`.
    public var suspendedNs: UInt64 = 0
    /// Where it began.
    public var thread: UInt32 = 0
    /// Where it ended; nil while it is open.
    public var endThread: UInt32?
    /// It began before the span; `startNs` is the span's beginning.
    public var isCut: Bool = false
    /// Not over at the end of the span.
    public var isOpen: Bool { endThread == nil }
    package init() {}
  }

  public struct NamedIntervals: Sendable {
    public var name: String = ""
    /// Not over at the end of the span.
    public var open: UInt64 = 0
    /// Of those that began and ended in the span.
    public var durationNs = Distribution()
    package init() {}
  }
}
