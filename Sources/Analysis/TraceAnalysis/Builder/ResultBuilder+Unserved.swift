import TraceFormat
import TraceReplay
import TraceResults

extension ResultBuilder {
  /// Returns the work that was not served. `stalls` are the sampled stacks of the gaps. `isUncertain`: it may have run.
  func unserved(_ replay: borrowing Replay, _ stalls: [StallResult], isUncertain: Bool) -> [UnservedResult] {
    replay.unserved.map { work in
      with(UnservedResult()) { it in
        it.kind = work.kind
        it.name = names.string(work.name) ?? "\(work.kind.words) without a name"
        it.loop = work.loop.object == .none ? "" : loop(work.loop, replay.books.objects)
        it.thread = work.lane.map { replay.stream.threads[$0].rawValue }
        it.count = work.count
        it.queuedNs = ns(work.since)
        it.waitedNs = ns(work.waited)
        it.reason = work.reason
        it.modes = work.modes.modes.map(names.mode).ordered()
        it.isOfCommonModes = work.isOfCommonModes
        it.ranModes = work.ranModes.modes.map(names.mode).ordered()
        it.blockedSinceNs = work.blockedSince.map { ns(max($0, from)) }
        it.releasedNs = work.released.map { ns($0) }
        it.isUncertain = isUncertain
        guard let blocker = work.blocker else { return }
        it.blockerKind = names.calloutKind(blocker.kind)
        it.blocker = names.callout(
          blocker.kind, replay.books.objects.name(of: blocker.object), object: blocker.object)
        guard let stall = wait(it, stalls) else { return }
        it.waitsIn = stall.place ?? stall.entry ?? stall.cause.words
        guard let owner = stall.owner, owner.waits, let place = owner.place else { return }
        it.holder = place
        it.isDeadlock = owner.isDeadlock
      }
    }
  }

  /// Returns the stall in which the loop's thread waits at the end of the span. It is the thread's last one, if the
  /// thread waits for other threads, or for a queue or lock whose holder waits in turn.
  private func wait(_ work: UnservedResult, _ stalls: [StallResult]) -> StallResult? {
    let last = stalls.filter { $0.thread == work.thread }.max { $0.startNs < $1.startNs }
    guard let last, let since = work.blockedSinceNs,
      last.cause == .lock || last.cause == .wait || last.cause == .queue && last.owner?.waits ?? false
    else { return nil }
    // The stall must be under way, and in this callout.
    let end = last.startNs &+ last.durationNs
    guard end > work.queuedNs, end > since, end &+ UnservedResult.thresholdNs >= ns(to) else { return nil }
    return last
  }
}
