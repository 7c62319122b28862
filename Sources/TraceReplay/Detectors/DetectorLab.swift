/// All detectors over one trace: each judges the busy intervals and gaps of a thread by its own rule.
///
/// Monitors run in the process that they watch: a time-out that falls into a suspension comes right behind it.
package final class DetectorLab {
  /// No more threads are judged.
  package var isFull: Bool { threads.count >= AnalysisLimits.detectedThreads }

  /// The detectors of one thread.
  package struct Thread {
    package let lane: Int
    /// By detector.
    package var reports: [[DetectorReport]]
    package var counts: [Int]
    /// Gaps since the last wait.
    var gaps: [FoundGap] = []
    var gapCount = 0
    /// By detector: it reported a gap since the last wait.
    var alarmed: [Bool]
    package var incidents: [Incident] = []
    var sentry: SentryWindow
  }

  package let rules: [DetectorRule]
  let unit: UInt64
  private let mainLanes: [Bool]
  package private(set) var threads: [Thread] = []
  let shortestGap: UInt64
  let shortestBusy: UInt64
  private var suspendedTotal: UInt64 = 0

  init(_ rules: [DetectorRule], unitNs: UInt64, mainLanes: [Bool]) {
    self.rules = rules
    unit = unitNs
    self.mainLanes = mainLanes
    // Gaps say who was to blame for a busy interval, so they are wanted for any rule: the same ones, whoever asks.
    shortestGap = rules.isEmpty ? .max : DetectorLab.shortestGapNs / unitNs
    shortestBusy = (rules.map(\.shortestBusyNs).min() ?? .max) / unitNs
  }

  private func index(_ lane: Int) -> Int? {
    if let known = threads.firstIndex(where: { $0.lane == lane }) { return known }
    // The main thread is never left out.
    guard threads.count < AnalysisLimits.detectedThreads || mainLanes[lane] else { return nil }
    threads.append(
      Thread(
        lane: lane, reports: Array(repeating: [], count: rules.count),
        counts: Array(repeating: 0, count: rules.count), alarmed: Array(repeating: false, count: rules.count),
        sentry: SentryWindow(unitNs: unit)))
    return threads.count - 1
  }

  private static let shortestGapNs: UInt64 = 50_000_000

  // MARK: What happens

  /// `isSeen`: a monitor that observes the common modes saw both its ends.
  func gap(_ found: FoundGap, isSeen: Bool) {
    guard found.end &- found.start >= shortestGap, let at = index(found.lane) else { return }
    threads[at].gapCount += 1
    threads[at].gaps.append(found)
    threads[at].gaps.sort { ($1.end &- $1.start, $0.start) < ($0.end &- $0.start, $1.start) }
    if threads[at].gaps.count > 4 { threads[at].gaps.removeLast() }
    if isSeen { watched(found, at) }
  }

  /// Between two activities that a monitor of the common modes saw, whatever ran in other modes meanwhile.
  func seenGap(_ found: FoundGap) {
    guard found.end &- found.start >= shortestGap, let at = index(found.lane) else { return }
    watched(found, at)
  }

  private func watched(_ found: FoundGap, _ at: Int) {
    for (number, rule) in rules.enumerated() {
      guard let alarmed = alarm(rule, found) else { continue }
      threads[at].alarmed[number] = true
      report(at, number, alarmed)
    }
  }

  func busy(_ found: FoundBusy) {
    guard found.end &- found.start >= shortestBusy, let at = index(found.lane) else { return }
    if rules.contains(.sentryV2) { threads[at].sentry.add(found) }
    var incident = Incident(busy: found, gaps: threads[at].gaps, gapCount: threads[at].gapCount)
    threads[at].gaps = []
    threads[at].gapCount = 0
    for (number, rule) in rules.enumerated() {
      let verdict = judge(rule, incident)
      incident.silence.append(threads[at].alarmed[number] || verdict.report != nil ? nil : verdict.reason)
      threads[at].alarmed[number] = false
      if var reported = verdict.report {
        reported.callout = incident.longest?.callouts.first
        report(at, number, reported)
      }
    }
    guard found.end &- found.start >= 100_000_000 / unit else { return }
    threads[at].incidents.append(incident)
    if threads[at].incidents.count >= 2 * DetectorLab.incidentsKept { keepLongest(at) }
  }

  private static let incidentsKept = 200

  private func keepLongest(_ at: Int) {
    threads[at].incidents.sort { ($1.length, $0.busy.start) < ($0.length, $1.busy.start) }
    threads[at].incidents.removeLast(max(0, threads[at].incidents.count - DetectorLab.incidentsKept))
  }

  func suspended(from: UInt64, to: UInt64) {
    suspendedTotal &+= to &- from
    for at in threads.indices { threads[at].sentry.suspended(from: from, to: to) }
  }

  private func report(_ at: Int, _ number: Int, _ report: DetectorReport) {
    threads[at].counts[number] += 1
    if threads[at].reports[number].count < AnalysisLimits.listed {
      threads[at].reports[number].append(report)
    }
  }

  // MARK: The rules

  /// What a semaphore monitor says of a gap: it waits anew at each activity.
  private func alarm(_ rule: DetectorRule, _ gap: FoundGap) -> DetectorReport? {
    guard gap.phase == .beforeSources || gap.phase == .afterWaiting else { return nil }
    let raw = (gap.end &- gap.start) &* unit
    let isLong: Bool
    switch rule {
    case .semaphore1s, .semaphore3s: isLong = raw >= rule.shortestGapNs
    case .semaphore5x50ms:
      // However long it is, a suspension is the end of one wait.
      isLong = gap.length &* unit / 50_000_000 + (gap.suspended > 0 ? 1 : 0) >= 5
    default: return nil
    }
    guard isLong else { return nil }
    var report = DetectorReport(start: gap.start, end: gap.end, what: gap.phase.name)
    report.callout = gap.callouts.first
    return report
  }

  /// What the other detectors say of a busy interval, and why they say nothing.
  private func judge(_ rule: DetectorRule, _ incident: Incident) -> (report: DetectorReport?, reason: String)
  {
    let busy = incident.busy
    let rawNs = incident.length &* unit
    let netNs = busy.length &* unit
    let suspendedNs = busy.suspended &* unit
    func report(_ what: String, from: UInt64? = nil, to: UInt64? = nil) -> (DetectorReport?, String) {
      (DetectorReport(start: from ?? busy.start, end: to ?? busy.end, what: what), "")
    }
    switch rule {
    case .apple:
      guard netNs >= AnalysisLimits.hangNs else {
        return (nil, suspendedNs > 0 ? "suspended, not busy" : "under 250 ms")
      }
      return report(BusyClass(ns: netNs)?.name ?? "")
    case .semaphore1s, .semaphore3s, .semaphore5x50ms: return (nil, reasonOfSemaphore(rule, incident))
    case .matrix: return matrix(incident, rawNs, netNs, suspendedNs)
    case .kscrash:
      guard busy.isAfterWait else { return (nil, "does not begin with AfterWaiting") }
      let end = max(busy.beforeWaiting, busy.start)
      guard (end &- busy.start) &* unit >= 250_000_000 else {
        return (
          nil, rawNs >= 250_000_000 ? "observers of BeforeWaiting are behind its order" : "under 250 ms"
        )
      }
      return report("hang", to: end)
    case .sentryV2: return (nil, netNs < 2_000_000_000 ? "under 2 s" : "between its ticks")
    case .datadog:
      guard rawNs >= rule.shortestBusyNs else { return (nil, "under 100 ms") }
      guard rawNs >= 2_000_000_000 else { return report("long task") }
      if suspendedNs > 3_000_000_000 { return (nil, "its monitor woke late, dropped") }
      if rawNs > 30_000_000_000 { return (nil, "over 30 s, dropped") }
      return report("hang")
    }
  }

  /// It looks once a second, and at the first moment after a suspension.
  private func matrix(
    _ incident: Incident, _ rawNs: UInt64, _ netNs: UInt64, _ suspendedNs: UInt64
  ) -> (report: DetectorReport?, reason: String) {
    let period: UInt64 = 1_000_000_000
    let limit: UInt64 = 2_000_000_000
    let found = DetectorReport(start: incident.busy.start, end: incident.busy.end, what: "stall")
    guard rawNs > limit else { return (nil, "under 2 s") }
    // In the time that the process ran: its ticks, and where the suspension lies between them.
    let endRan = (incident.busy.end &- min(incident.busy.end, suspendedTotal)) &* unit
    let startRan = endRan &- min(endRan, netNs)
    let silentAt =
      startRan &+ (incident.busy.suspendedFrom &- min(incident.busy.start, incident.busy.suspendedFrom))
      &* unit
    // A check that falls due in a suspension comes right behind it.
    if suspendedNs >= period, suspendedNs <= 10 * period, silentAt - startRan + suspendedNs > limit {
      return (found, "")
    }
    var tick = (startRan / period + 1) &* period
    while tick < endRan {
      let passed = tick - startRan + (suspendedNs > 0 && tick >= silentAt ? suspendedNs : 0)
      let isResumed = suspendedNs > 10_000_000_000 && tick >= silentAt && tick - silentAt < period
      if passed > limit, !isResumed { return (found, "") }
      tick += period
    }
    return (nil, suspendedNs > 10_000_000_000 ? "its check took over 10 s, dropped" : "between its checks")
  }

  private func reasonOfSemaphore(_ rule: DetectorRule, _ incident: Incident) -> String {
    let enough: UInt64 = rule == .semaphore5x50ms ? 250_000_000 : rule.shortestGapNs
    guard let longest = incident.longest else { return "no gap that long" }
    let raw = (longest.end &- longest.start) &* unit
    if raw >= enough, longest.phase != .beforeSources, longest.phase != .afterWaiting {
      return "after \(longest.phase.name), not watched"
    }
    if longest.suspended > 0 { return "suspended, one time-out" }
    return incident.length &* unit >= enough ? "no single gap that long" : "too short"
  }

  // MARK: The end

  func reset() {
    threads = []
  }

  func finish(_ end: UInt64) {
    for at in threads.indices {
      keepLongest(at)
      threads[at].incidents.sort { $0.busy.start < $1.busy.start }
      for (number, rule) in rules.enumerated() where rule.shortestGapNs < .max { noteReported(at, number) }
      guard let number = rules.firstIndex(of: .sentryV2) else { continue }
      threads[at].sentry.finish(end)
      threads[at].counts[number] = threads[at].sentry.count
      threads[at].reports[number] = threads[at].sentry.reports.map {
        DetectorReport(
          start: $0.start, end: $0.end, what: $0.isFull ? "fully blocking" : "non-fully blocking")
      }
      noteReported(at, number)
    }
  }

  /// Sentry reports windows, not intervals; and what a monitor of the common modes reports may end behind the interval.
  private func noteReported(_ at: Int, _ number: Int) {
    for i in threads[at].incidents.indices {
      let busy = threads[at].incidents[i].busy
      if threads[at].reports[number].contains(where: { $0.start < busy.end && $0.end > busy.start }) {
        threads[at].incidents[i].silence[number] = nil
      }
    }
  }
}
