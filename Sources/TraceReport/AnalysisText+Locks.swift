import CallStacks
import TraceAnalysis

/// The section on the locks and queues for which stalled threads waited, and their owners.
extension AnalysisText {
  /// The number of frames of each stack.
  private static let framesShown = 12

  func locks() -> [String] {
    let held = analysis.stalls.filter { $0.owner != nil }.ordered { $0.durationNs > $1.durationNs }
    // Stalls with the same stacks are shown once: the longest.
    var seen: Set<Stacks> = []
    let distinct = held.filter { seen.insert(Stacks($0)).inserted }
    let lines = distinct.prefix(AnalysisText.shown).flatMap { stall in
      let others = held.count { Stacks($0) == Stacks(stall) } - 1
      return stall.owner.map { lock(stall, $0, others: others) } ?? []
    }
    return rest(lines, distinct.count, "stalls")
  }

  /// The stacks of both threads.
  private struct Stacks: Hashable {
    let waiter: [StackFrame]
    let owner: [StackFrame]

    init(_ stall: StallResult) {
      waiter = stall.stack
      owner = stall.owner?.stack ?? []
    }
  }

  private func lock(_ stall: StallResult, _ owner: LockOwner, others: Int) -> [String] {
    let waiter = "thread \(thread(stall.thread))", holder = "thread \(written(owner.title))"
    let more = others > 0 ? " and \(Phrase.count(UInt64(others), "shorter stall", "shorter stalls"))" : ""
    let moment = "\(Units.duration(stall.durationNs)) at \(Units.moment(stall.startNs))\(more)"
    if owner.isItself {
      return wrap("\(moment): \(waiter) waits for a lock that it holds itself: a deadlock")
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

  private func frames(_ stack: [StackFrame]) -> [String] {
    guard !stack.isEmpty else { return ["      no stack was sampled"] }
    let shown = stack.prefix(Self.framesShown).map { frame in
      "      " + written(frame.name) + (frame.place.map { "  \(written($0))" } ?? "")
    }
    let left = stack.count - shown.count
    return shown + (left > 0 ? ["      \(left) more frames further out"] : [])
  }
}
