import TraceFormat

/// What a trace may cost beyond its events: one event of a few bytes may let a point of every timer pass, and one silence
/// suspends every thread. What real programs do stays far below; more is refused.
struct WorkBudget {
  private var left: Int

  init(_ reader: TraceReader, ofAnyTrace steps: Int) {
    let bytes = Int(min(reader.fileSize, 1 << 40)), events = Int(min(reader.eventCount, 1 << 40))
    left = steps + AnalysisLimits.stepsPerByte * bytes + AnalysisLimits.stepsPerEvent * events
  }

  var isUsedUp: Bool { left < 0 }

  /// Whether there is enough left; it is used then. Of what is not done, nothing is right any more.
  @inline(__always)
  mutating func use(_ steps: Int = 1) -> Bool {
    left &-= steps
    return left >= 0
  }
}
