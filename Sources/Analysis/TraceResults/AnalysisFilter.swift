/// Keeps the rows of one mode, of one thread, or of both.
package struct AnalysisFilter: Sendable {
  /// The mode's name; nil = all modes.
  package var mode: String?
  /// The index in the trace's thread table; nil = all threads.
  package var thread: UInt32?

  package init(mode: String? = nil, thread: UInt32? = nil) {
    self.mode = mode
    self.thread = thread
  }

  /// Returns the analysis without the rows of other modes and threads, and without findings about other threads. The
  /// verdict stays that of the whole trace. A timer is kept for a mode if it is in that
  /// mode, and for a thread if that thread runs its loop.
  package func apply(to analysis: Analysis) -> Analysis {
    var kept = analysis
    kept.modes.removeAll { !includes($0.mode, $0.thread) }
    kept.loops.removeAll { !includes(nil, $0.thread.index) }
    kept.gaps.removeAll { !includes($0.mode, $0.thread) }
    kept.busy.removeAll { !includes($0.mode, $0.thread) }
    kept.stalls.removeAll { !includes($0.mode, $0.thread) }
    kept.functions.removeAll { !includes($0.mode, $0.thread) }
    kept.findings.removeAll { finding in
      finding.subjects.allSatisfy { $0.thread.map { !includes(nil, $0) } ?? false }
    }
    kept.callouts.removeAll { !includes(nil, $0.thread) }
    kept.utilisation.removeAll { !includes(nil, $0.thread) }
    kept.marks.marks.removeAll { !includes(nil, $0.thread) }
    kept.marks.intervals.removeAll { !includes(nil, $0.thread) }
    kept.split?.modes.removeAll { !includes($0.mode, $0.thread) }
    kept.split?.callouts.removeAll { !includes(nil, $0.thread) }
    kept.timers.removeAll { timer in
      (mode.map { !timer.modes.contains($0) } ?? false) || (thread.map { $0 != timer.thread } ?? false)
    }
    let classes = Set(kept.timers.flatMap(\.classes))
    kept.frames.sources.removeAll { !classes.contains($0.timer) }
    kept.frames.hitches.removeAll { !classes.contains($0.timer) }
    return kept
  }

  private func includes(_ mode: String?, _ thread: UInt32) -> Bool {
    if let wanted = self.mode, let mode, wanted != mode { return false }
    return self.thread.map { $0 == thread } ?? true
  }
}
