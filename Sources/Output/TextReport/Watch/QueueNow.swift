import TraceResults

/// A queue, pool, actor or executor whose work waits at the end of the analyzed span.
struct QueueNow {
  let queue: WorkQueueResult
  private let analysis: Analysis

  /// The queues whose work waited longest first. Empty if events were lost: then it is not known what waits.
  static func all(_ analysis: Analysis) -> [QueueNow] {
    analysis.work.queues.filter { $0.openWaitNs.count > 0 }
      .ordered { ($1.openWaitNs.max, $0.name) < ($0.openWaitNs.max, $1.name) }
      .map { QueueNow(queue: $0, analysis: analysis) }
  }

  var waitedNs: UInt64 { queue.openWaitNs.max }
  var isAlarming: Bool { waitedNs >= BusyClass.hangNs }
  var kind: String { queue.kind?.name ?? "" }

  /// Such as `3.20 s`, or `at least 3.20 s` if it waited before the trace begins.
  var waited: String { length(waitedNs, from: queue.oldestWaitStartNs) }

  private func length(_ ns: UInt64, from startNs: UInt64) -> String {
    let isLonger = startNs <= analysis.work.beginningNs && analysis.work.beginningNs > 0
    return (isLonger ? "at least " : "") + Units.duration(ns)
  }

  /// The slices that run, such as `"load()" for 3.20 s`. Empty if several queues have the name: then it is not known
  /// which of them the work waits behind.
  var slices: [String] {
    guard queue.queues <= 1, !queue.isRemainder else { return [] }
    return queue.runningSlices.map { slice in
      // The view may know better when the outermost callout of a thread began.
      let open = analysis.openCallouts.first {
        $0.depth == 0 && $0.thread == slice.thread && $0.kind == CalloutKind.work.rawValue
          && $0.name == slice.name
      }
      let ran =
        open.map { Units.duration($0.durationNs) } ?? length(slice.ranNs, from: slice.startNs)
      return "\"\(harmless(slice.name, limit: 80))\" for \(ran)"
    }
  }

  /// The oldest slice that runs; empty = none runs.
  var runs: String {
    guard let first = slices.first else { return "" }
    let others = queue.running &- min(queue.running, 1)
    return first + (others > 0 ? " and \(Phrase.count(others, "other", "others"))" : "")
  }

  /// Such as `queue "db": 3 wait, the oldest for 3.20 s; runs "load()" for 3.20 s`.
  var text: String {
    let what = queue.kind?.servesActors == true ? kind : "queue"
    let count = queue.openWaitNs.count
    return
      "\(what) \"\(harmless(queue.name, limit: 80))\": \(count) \(count == 1 ? "waits" : "wait, the oldest") for "
      + waited + (runs.isEmpty ? "" : "; runs \(runs)")
  }
}
