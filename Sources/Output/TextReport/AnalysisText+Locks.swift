import CallStacks
import TraceAnalysis

/// The section on the locks and queues for which stalled threads waited, and their owners.
extension AnalysisText {
  /// The number of frames of each stack.
  private static let framesShown = 12

  func locks() -> [String] {
    let held = analysis.stalls.filter { $0.owner != nil }.ordered { $0.durationNs > $1.durationNs }
    let groups = Dictionary(grouping: held, by: Wait.init).values.ordered {
      $0[0].durationNs > $1[0].durationNs
    }
    let lines = groups.prefix(AnalysisText.shown).flatMap { stalls in
      // The most informative stall is one whose lock owner has a known function.
      let stall = stalls.first { $0.owner?.blamed != nil } ?? stalls[0]
      return stall.owner.map { lock(stall, $0, others: stalls.count - 1) } ?? []
    }
    return rest(lines, groups.count, "stalls")
  }

  /// A stack that waits for a thread. Stalls with the same wait are shown once.
  private struct Wait: Hashable {
    let stack: [StackFrame]
    let owner: UInt64?

    init(_ stall: StallResult) {
      stack = stall.stack
      owner = stall.owner?.osThread
    }
  }

  private func lock(_ stall: StallResult, _ owner: LockOwner, others: Int) -> [String] {
    let waiter = "thread \(thread(stall.thread))", holder = "thread \(written(owner.title))"
    let more = others > 0 ? " and \(Phrase.count(UInt64(others), "other stall", "other stalls"))" : ""
    let moment = "\(Units.duration(stall.durationNs)) at \(Units.moment(stall.startNs))\(more)"
    if owner.isItself {
      let what = stall.cause == .queue ? "a queue" : "a lock"
      return wrap("\(moment): \(waiter) waits for \(what) that it holds itself: a deadlock")
        + frames(stall.stack)
    }
    let what =
      owner.isDeadlock
      ? "\(waiter) and \(holder) wait for each other: a deadlock"
      : stall.cause == .queue
        ? "\(waiter) waits for a queue whose blocks \(holder) runs"
        : "\(waiter) waits for a lock that \(holder) holds"
    return wrap("\(moment): \(what)") + ["    \(waiter)"] + frames(stall.stack) + ["    \(holder)"]
      + frames(owner.stack)
  }

  /// The innermost frames, without those of the recorder. If the program's own code lies further out, the second
  /// half of the frames shown begins there.
  private func frames(_ stack: [StackFrame]) -> [String] {
    let stack = stack.filter { !$0.isRecorders }
    guard !stack.isEmpty else { return ["      no stack was sampled"] }
    let own = stack.firstIndex(where: \.isOwn) ?? 0
    guard own >= Self.framesShown else {
      let left = stack.count - Self.framesShown
      return shown(stack.prefix(Self.framesShown))
        + (left > 0 ? ["      \(left) more frames further out"] : [])
    }
    let half = Self.framesShown / 2
    let rest = stack[own...].prefix(half)
    let left = stack.count - rest.endIndex
    return shown(stack.prefix(half)) + ["      … \(own - half) frames"] + shown(rest)
      + (left > 0 ? ["      \(left) more frames further out"] : [])
  }

  private func shown(_ frames: ArraySlice<StackFrame>) -> [String] {
    frames.map { "      " + written($0.name) + ($0.place.map { "  \(written($0))" } ?? "") }
  }
}
