import TraceFormat

/// What a trace may cost beyond its events: one event of a few bytes may let a point of every timer pass, and one silence
/// suspends every thread. What real programs do stays far below; more is refused.
///
/// One for all of a replay. Who does such work takes it off: a step is some twenty nanoseconds.
package final class WorkBudget {
  /// In memory of its own: a class's variable is checked at each access.
  private let left = Rows<Int>(capacity: 1)

  /// What the usual kinds of work take.
  enum Cost {
    /// A due point that passes.
    static let point = 16
    /// A timer that is looked at among all of its loop; and one whose lateness is booked besides.
    static let timer = 16
    static let booking = 16
    /// A thread that stands still.
    static let thread = 16
  }

  package init(_ reader: TraceReader, ofAnyTrace steps: Int) {
    left.append(WorkBudget.steps(reader, ofAnyTrace: steps))
  }

  /// What a trace of this size may cost.
  package static func steps(_ reader: TraceReader, ofAnyTrace steps: Int) -> Int {
    let bytes = Int(min(reader.fileSize, 1 << 40)), events = Int(min(reader.eventCount, 1 << 40))
    return steps + AnalysisLimits.stepsPerByte * bytes + AnalysisLimits.stepsPerEvent * events
  }

  /// Steps that are left.
  var rest: Int { left[0] }

  var isUsedUp: Bool { left[0] < 0 }

  /// Whether there is enough left; it is used then. Of what is not done, nothing is right any more.
  @inline(__always)
  @discardableResult
  func use(_ steps: Int) -> Bool {
    left[0] &-= steps
    return left[0] >= 0
  }
}
