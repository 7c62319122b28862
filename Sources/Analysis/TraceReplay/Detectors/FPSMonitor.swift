import RunLoopVocabulary

extension Detector {
  package static let fps = frameRate("fps", FrameRate())

  private static func frameRate(_ name: String, _ rate: FrameRate) -> Detector {
    Detector(
      name: name, source: "a counter of frames, as in many apps",
      rule:
        "reports each \(DurationText.word(rate.windowNs)) with fewer than \(rate.limit) frames per second, rounded",
      needsPhases: false, frameRate: rate
    ) { FPSMonitor() }
  }

  /// Returns the detector that an option names: one of `all`, or `fps` with settings, as in
  /// `fps:limit=24:window=500ms:source=NAME`. Nil = there is none.
  package static func named(_ text: String) -> Detector? {
    if let known = all.first(where: { $0.name == text }) { return known }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count > 1, parts[0] == fps.name else { return nil }
    var rate = FrameRate()
    for place in parts.indices.dropFirst() {
      guard let sign = parts[place].firstIndex(of: "=") else { return nil }
      let value = String(parts[place][parts[place].index(after: sign)...])
      switch parts[place][..<sign] {
      case "limit":
        guard let limit = UInt64(value), limit > 0 else { return nil }
        rate.limit = limit
      case "window":
        guard let ns = try? DurationText.statedNanoseconds(value), ns >= FrameRate.shortestWindowNs else {
          return nil
        }
        rate.windowNs = ns
      case "source":
        // The name is the rest, because it may contain colons.
        rate.source = ([value] + parts[(place + 1)...].map(String.init)).joined(separator: ":")
        return frameRate(text, rate)
      default: return nil
      }
    }
    return frameRate(text, rate)
  }
}

/// The rule of a monitor that counts frames.
package struct FrameRate: Sendable, Equatable {
  package var windowNs: UInt64 = 1_000_000_000
  /// The monitor reports fewer frames per second.
  package var limit: UInt64 = 55
  /// The name of the timer whose fires are frames; nil = the only one with an interval of frames.
  package var source: String?

  fileprivate static let shortestWindowNs: UInt64 = 1_000_000
}

/// The reports of monitors of frames per second about each timer with an interval of frames. The timer whose fires are
/// frames is chosen when the whole recording is known.
package final class FrameRates {
  private let rates: [FrameRate]
  private let scale: TimeScale
  /// By timer class, then by monitor.
  private var counts: [Int: [FrameCount]] = [:]

  /// Nil without such a monitor.
  init?(_ detectors: [Detector], _ scale: TimeScale) {
    rates = detectors.compactMap(\.frameRate)
    self.scale = scale
    if rates.isEmpty { return nil }
  }

  /// Counts a fire of a timer of the class.
  @inline(never)
  func fired(_ timerClass: Int, intervalNs: Int64, at time: Moment) {
    guard FrameIntervals.ns.contains(UInt64(clamping: intervalNs)) else { return }
    var monitors = counts[timerClass] ?? rates.map { _ in FrameCount() }
    for place in rates.indices { monitors[place].fired(at: scale.ns(time), rates[place]) }
    counts[timerClass] = monitors
  }

  package func reports(_ rate: FrameRate, timerClass: Int) -> DetectorReports? {
    rates.firstIndex(of: rate).flatMap { counts[timerClass]?[$0].reports }
  }

  func reset() { counts = [:] }
}

/// The frames since the last measurement. The monitor measures at the first frame that is a window or more later.
private struct FrameCount {
  private var since: UInt64?
  private var frames: UInt64 = 0
  private(set) var reports = DetectorReports()

  mutating func fired(at now: UInt64, _ rate: FrameRate) {
    guard let start = since, now > start else {
      since = since ?? now
      return
    }
    frames += 1
    guard now - start >= rate.windowNs else { return }
    let perSecond = (Double(frames) * 1e9 / Double(now - start)).rounded()
    if perSecond < Double(rate.limit) {
      reports.add(
        DetectorReport(start: start, end: now, what: "at \(UInt64(clamping: perSecond)) fps", callout: nil))
    }
    (since, frames) = (now, 0)
  }
}

/// Its reports are those of `FrameRates`.
private struct FPSMonitor: StallMonitor {
  let reports = DetectorReports()

  mutating func busy(_ busy: WatchedBusy) -> String? { "the monitor counts frames, not busy time" }
}
