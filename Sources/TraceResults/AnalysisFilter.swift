/// Keeps the rows of one mode, one thread, or both.
public struct AnalysisFilter: Sendable {
  /// By name; nil = all.
  public var mode: String?
  /// Index in the trace's thread table; nil = all.
  public var thread: UInt32?

  public init(mode: String? = nil, thread: UInt32? = nil) {
    self.mode = mode
    self.thread = thread
  }

  /// Timers are kept when they are in the mode; they belong to no thread of their own, so a thread keeps those
  /// of its loops.
  public func apply(to analysis: Analysis) -> Analysis {
    var kept = analysis
    kept.modes.removeAll { !includes($0.mode, $0.thread) }
    kept.loops.removeAll { !includes(nil, $0.thread.index) }
    kept.gaps.removeAll { !includes($0.mode, $0.thread) }
    kept.busy.removeAll { !includes($0.mode, $0.thread) }
    kept.callouts.removeAll { !includes(nil, $0.thread) }
    kept.utilisation.removeAll { !includes(nil, $0.thread) }
    kept.marks.marks.removeAll { !includes(nil, $0.thread) }
    kept.marks.intervals.removeAll { !includes(nil, $0.thread) }
    kept.timers.removeAll { timer in
      (mode.map { !timer.modes.contains($0) } ?? false) || (thread.map { $0 != timer.thread } ?? false)
    }
    return kept
  }

  private func includes(_ mode: String?, _ thread: UInt32) -> Bool {
    if let wanted = self.mode, let mode, wanted != mode { return false }
    return self.thread.map { $0 == thread } ?? true
  }
}
