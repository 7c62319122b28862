import TraceFormat

/// What a trace may cost beyond its events: one event of a few bytes may let a point of every timer pass, and one silence
/// suspends every thread. What real programs do stays far below; more is refused.
///
/// A replay has one budget. Code that does such work takes it off the budget: a step is some twenty nanoseconds.
package final class WorkBudget {
  /// The count has its own memory, because access to a class's variable is checked each time.
  private let left = Rows<Int>(capacity: 1)

  /// The cost of the usual kinds of work.
  enum Cost {
    /// A due point that passes.
    static let point = 16
    /// A look at a timer among all timers of its loop; in addition, the booking of its lateness.
    static let timer = 16
    static let booking = 16
    /// A thread that stands still.
    static let thread = 16
  }

  package init(_ reader: TraceReader, ofAnyTrace steps: Int) {
    left.append(WorkBudget.steps(reader, ofAnyTrace: steps))
  }

  /// The number of steps that a trace of this size may cost.
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
