import TraceFormat
import TraceReplay
import TraceResults

extension ResultBuilder {
  /// The name that the recorder gives to the loop of the main thread.
  private static let mainLoop = "main"
  /// The callback of the source that Foundation's `Process.run()` adds, so that the loop does not return while the
  /// child runs. It does nothing.
  private static let emptyCallback = "emptyRunLoopCallback"

  /// Returns the loops that never ran, of all kinds. Empty if runs may be missing from the recording.
  func loopsThatNeverRan(_ result: Analysis, _ replay: borrowing Replay) -> [LoopID] {
    guard reader.beginning == 0, from == .origin, result.trace.lostEvents == 0 else { return [] }
    let objects = replay.books.objects
    // Work of the main queue that was queued before dispatchMain() belongs to the main loop at first.
    let isServedWithoutLoop = result.loops.contains { $0.thread.isMainQueue }
    return replay.loopsThatNeverRan.filter {
      !isServedWithoutLoop || names.string(objects.name(of: $0)) != Self.mainLoop
    }
  }

  /// Whether a finding reports work that waits for a loop of that name that never ran.
  func isWaitedFor(_ loop: String, _ result: Analysis) -> Bool {
    result.unserved.contains {
      $0.isUnserved && $0.kind != .work && $0.thread == nil && $0.loop == loop
    }
  }

  /// Returns the loops with items that never ran. Those for which work is known to wait are in `unserved`, or their
  /// timers have skipped points. Empty if a run may be in an event that could not be read or followed, or behind the
  /// span.
  func unrunLoops(_ result: Analysis, _ replay: borrowing Replay) -> [UnrunLoopResult] {
    let trace = result.trace
    guard trace.threadsLeftOut == 0, trace.unfollowed == 0, trace.damagedBlocks == 0,
      trace.contradictions == 0,
      result.damage == nil, reader.lostParts.isEmpty, to >= Moment(reader.lastTime)
    else { return [] }
    let objects = replay.books.objects
    // A recording of the main thread only has no runs of other loops.
    let recorders = reader.recorderThreads
    let hasOtherThreads = trace.threads.contains { !$0.isMain && !recorders.contains($0.index) }
    var found: [UnrunLoopResult] = []
    for loop in loopsThatNeverRan(result, replay) where objects.kind(of: loop) == .runLoop {
      guard let unrun = replay.items(ofUnrun: loop, until: to), !unrun.hasSkippedPoints else { continue }
      let name = self.loop(loop, objects)
      guard hasOtherThreads || name == Self.mainLoop else { continue }
      if isWaitedFor(name, result) { continue }
      let items = unrun.items.map {
        UnrunLoopResult.Item(kind: $0.kind, name: names.string($0.name) ?? "\($0.kind.name) without a name")
      }.filter { !$0.name.hasPrefix(Self.emptyCallback) }
      guard !items.isEmpty else { continue }
      found.append(
        with(UnrunLoopResult()) { it in
          it.loop = name
          it.items = items
          it.boundNs = ns(unrun.since)
          it.waitedNs = ns(unrun.waited)
          it.endedNs = unrun.ended.map(ns)
        })
    }
    return found
  }
}
