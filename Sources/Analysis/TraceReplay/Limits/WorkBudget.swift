import TraceFormat

/// The work that a trace may cost besides its events. A single event of a few bytes may cause a due point of every
/// timer to pass, and one silence suspends every thread. Real programs stay far below the limit; traces above it are
/// refused.
///
/// A replay has one budget. Code that does such work deducts its cost from the budget. A step takes about
/// twenty nanoseconds.
package final class WorkBudget {
  /// Has its own memory, because access to a class's variable is checked each time.
  private let left = Rows<Int>(capacity: 1)

  /// The cost of common kinds of work.
  enum Cost {
    /// A due point that passes.
    static let point = 16
    /// The check of one timer while a search visits all timers of a loop. `booking`: in addition, recording its
    /// lateness.
    static let timer = 16
    static let booking = 16
    /// A suspension, for each thread.
    static let thread = 16
    /// A loss of events, for each open run.
    static let run = 16
  }

  package init(_ reader: TraceReader, ofAnyTrace steps: Int) {
    left.append(WorkBudget.steps(reader, ofAnyTrace: steps))
  }

  /// Returns the number of steps that a trace of this size may cost.
  package static func steps(_ reader: TraceReader, ofAnyTrace steps: Int) -> Int {
    let bytes = Int(min(reader.fileSize, 1 << 40)), events = Int(min(reader.eventCount, 1 << 40))
    return steps + AnalysisLimits.stepsPerByte * bytes + AnalysisLimits.stepsPerEvent * events
  }

  /// The number of remaining steps.
  var rest: Int { left[0] }

  var isUsedUp: Bool { left[0] < 0 }

  /// Uses steps. Returns false if not enough are left: the work is then not done, and the results are not usable.
  @inline(__always)
  @discardableResult
  func use(_ steps: Int) -> Bool {
    left[0] &-= steps
    return left[0] >= 0
  }
}
