import TraceFormat

/// Which wake-ups came with which signals and blocks: programs signal a source or queue a block, then wake the loop.
enum WakeUps {
  /// Such calls are less than this apart, in nanoseconds.
  private static let togetherNs: UInt64 = 200_000

  private static func isCause(_ kind: EventKind) -> Bool { kind == .sourceSignal || kind == .blockCreate }

  /// Returns the signals and blocks directly before a wake-up on its thread, as indices of events.
  static func causes(of wakeUp: Int, in thread: RecordedThread, unitNs: UInt64) -> [Int] {
    let events = thread.events
    var causes: [Int] = [], at = wakeUp - 1
    while at >= 0, isCause(events[at].kind), events[wakeUp].time - events[at].time < togetherNs / unitNs {
      causes.append(at)
      at -= 1
    }
    return causes
  }

  /// Whether the program wakes a loop after a signal, directly or after further signals and blocks.
  static func follow(_ signal: Int, in thread: RecordedThread, loop: UInt32, unitNs: UInt64) -> Bool {
    let events = thread.events
    var at = signal + 1
    while at < events.count, isCause(events[at].kind) { at += 1 }
    return at < events.count && events[at].kind == .loopWakeUp && events[at].object == loop
      && events[at].time - events[signal].time < togetherNs / unitNs
  }

  /// Whether a wake-up came only with signals and blocks of items that a plan removes.
  static func isRemoved(_ wakeUp: Int, in thread: RecordedThread, _ plan: ChangePlan, unitNs: UInt64) -> Bool
  {
    guard plan.hasRemovals, thread.events[wakeUp].kind == .loopWakeUp else { return false }
    let causes = causes(of: wakeUp, in: thread, unitNs: unitNs)
    return !causes.isEmpty && causes.allSatisfy { plan[thread.events[$0].life]?.isRemoved == true }
  }

  /// Whether a wake-up that stays may have come only with items that a plan removes: the other signals and blocks
  /// before it may be by others, who do not wake the loop.
  static func mayBeRemoved(_ recording: Recording, _ plan: ChangePlan) -> Bool {
    guard plan.hasRemovals else { return false }
    return recording.threads.contains { thread in
      thread.events.indices.contains { at in
        guard thread.events[at].kind == .loopWakeUp else { return false }
        let removed = causes(of: at, in: thread, unitNs: recording.unitNs).map {
          plan[thread.events[$0].life]?.isRemoved == true
        }
        return removed.contains(true) && removed.contains(false)
      }
    }
  }
}
