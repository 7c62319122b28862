/// Runs the selected detectors over one trace: passes each thread's busy intervals and gaps to its monitors.
package final class DetectorRunner {
  /// Whether no further thread can be judged, except the main thread.
  package var isFull: Bool { threads.count >= AnalysisLimits.detectedThreads }

  package struct Thread {
    package let lane: Int
    /// In the order of `detectors`.
    package var monitors: [any StallMonitor]
    /// The longest gap since the last wait.
    var longestGap: WatchedGap?
    package var incidents = Longest<Incident>(limit: DetectorRunner.incidentsKept)
  }

  package let detectors: [Detector]
  private let scale: TimeScale
  private let mainLane: Int?
  /// The lane of a main queue that no run loop serves. Monitors of run loops do not see it.
  private let queueLane: Int?
  package private(set) var threads: [Thread] = []
  /// The shortest gap and the shortest busy interval that the detectors receive, suspension included.
  let shortestGap: Length
  let shortestBusy: Length
  private var suspendedInAll: Length = .zero

  /// Gaps name the callout responsible for a busy interval, so every detector receives them, with the same threshold.
  static let shortestGapNs: UInt64 = 50_000_000
  private static let shortestIncidentNs: UInt64 = 100_000_000
  fileprivate static let incidentsKept = 200

  init(_ detectors: [Detector], _ scale: TimeScale, mainLane: Int?, queueLane: Int?) {
    self.detectors = detectors
    self.scale = scale
    self.mainLane = mainLane
    self.queueLane = queueLane
    shortestGap = detectors.isEmpty ? .endless : scale.length(ns: DetectorRunner.shortestGapNs)
    shortestBusy = scale.length(ns: detectors.map(\.shortestBusyNs).min() ?? .max)
  }

  private func index(_ lane: Int) -> Int? {
    guard lane != queueLane else { return nil }
    if let known = threads.firstIndex(where: { $0.lane == lane }) { return known }
    // The main thread is never left out.
    guard !isFull || lane == mainLane else { return nil }
    threads.append(Thread(lane: lane, monitors: detectors.map { $0.monitor() }))
    return threads.count - 1
  }

  /// Handles the end of a gap. `isSeen`: a monitor that observes the common modes saw both its ends.
  func gap(_ found: FoundGap, isSeen: Bool) {
    guard found.end &- found.start >= shortestGap, let at = index(found.lane) else { return }
    let gap = WatchedGap(found, scale)
    if gap.length > threads[at].longestGap?.length ?? 0 { threads[at].longestGap = gap }
    if isSeen { watched(gap, at) }
  }

  /// Handles a gap between two activities that a monitor of the common modes saw, with runs of other modes in
  /// between.
  func seenGap(_ found: FoundGap) {
    guard found.end &- found.start >= shortestGap, let at = index(found.lane) else { return }
    watched(WatchedGap(found, scale), at)
  }

  private func watched(_ gap: WatchedGap, _ at: Int) {
    for number in detectors.indices { threads[at].monitors[number].gap(gap) }
  }

  func busy(_ found: FoundBusy) {
    guard found.end &- found.start >= shortestBusy, let at = index(found.lane) else { return }
    let busy = WatchedBusy(
      found, longestGap: threads[at].longestGap, suspendedInAll: suspendedInAll, scale)
    threads[at].longestGap = nil
    let silence = detectors.indices.map { threads[at].monitors[$0].busy(busy) }
    guard busy.length >= DetectorRunner.shortestIncidentNs else { return }
    threads[at].incidents.add(Incident(busy: busy, silence: silence))
  }

  func suspended(from: Moment, to: Moment) { suspendedInAll &+= to &- from }

  func reset() {
    threads = []
  }

  func finish(_ end: Moment) {
    for at in threads.indices {
      threads[at].incidents.finish()
      for number in detectors.indices {
        threads[at].monitors[number].finish(scale.ns(end), suspended: scale.ns(suspendedInAll))
        noteReported(at, number)
      }
    }
  }

  /// Marks incidents that a monitor did report. A monitor may report spans other than busy intervals, with later
  /// ends.
  private func noteReported(_ at: Int, _ number: Int) {
    let reports = threads[at].monitors[number].reports.first
    for i in threads[at].incidents.elements.indices
    where threads[at].incidents.elements[i].silence[number] != nil {
      let busy = threads[at].incidents.elements[i].busy
      if reports.contains(where: { $0.start < busy.end && $0.end > busy.start }) {
        threads[at].incidents.elements[i].silence[number] = nil
      }
    }
  }
}
