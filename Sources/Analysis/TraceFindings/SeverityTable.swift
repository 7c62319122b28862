import RunLoopVocabulary
import TraceResults

/// The table by which all rules judge how bad a finding is. No rule has such limits of its own.
///
/// docs/reference/findings.md shows `SeverityTable.rows`.
package enum SeverityTable {
  private static let ms: UInt64 = 1_000_000
  private static let second: UInt64 = 1000 * ms

  // MARK: Missed fires

  private static let missedShare = (error: 0.1, warning: 0.01)
  private static let missedNs = (error: 2 * second, warning: 100 * ms)

  /// Judges a timer by its missed fires. `stretchNs`: the longest time in which it missed each due point.
  static func missed(_ points: UInt64, of due: UInt64, stretchNs: UInt64) -> Finding.Severity? {
    guard points > 0 else { return nil }
    let isMuch = isAtLeast(points, missedShare.error, of: due) && stretchNs >= missedNs.warning
    if isMuch || stretchNs >= missedNs.error { return .error }
    return isAtLeast(points, missedShare.warning, of: due) || stretchNs >= missedNs.warning ? .warning : .info
  }

  // MARK: Hangs

  private static let hangNs = (error: BusyClass.severeHang.fromNs, warning: BusyClass.hangNs)
  private static let hangShare = (error: 0.1, warning: 0.05)
  /// Shorter intervals do not count.
  static let shortHangNs = BusyClass.briefUnresponsiveness.fromNs
  private static let shortHangs = 3

  /// Judges a loop by the lengths of its busy intervals. `unlisted` are further ones, none of them longer than the
  /// longest. `activeNs` is its time inside runs; 0 = not known, as in some imports.
  static func hangs(_ lengths: [UInt64], _ unlisted: UnlistedBusy = UnlistedBusy(), activeNs: UInt64)
    -> Finding.Severity?
  {
    let longest = lengths.max() ?? 0
    let together = (lengths.filter { $0 >= hangNs.warning } + [unlisted.hangsNs]).saturatedSum
    if longest >= hangNs.error || together >= hangNs.error && isShare(together, hangShare.error, of: activeNs)
    {
      return .error
    }
    let short = lengths.filter { $0 >= shortHangNs }
    return longest >= hangNs.warning || areOften(short, unlisted, activeNs: activeNs) ? .warning : nil
  }

  private static func isShare(_ ns: UInt64, _ share: Double, of activeNs: UInt64) -> Bool {
    activeNs > 0 && isAtLeast(ns, share, of: activeNs)
  }

  /// Whether a loop is held up so often, for the given times, that short times count.
  static func areOften(_ lengths: [UInt64], _ unlisted: UnlistedBusy = UnlistedBusy(), activeNs: UInt64)
    -> Bool
  {
    UInt64(lengths.count) &+ unlisted.count >= shortHangs
      && isShare((lengths + [unlisted.ns]).saturatedSum, hangShare.warning, of: activeNs)
  }

  // MARK: Blocked event loops

  private static let blockedNs = second

  /// Returns whether a pass of an event loop, in which something is seen to have waited, is an error.
  static func isLongBlock(_ ns: UInt64) -> Bool { ns >= blockedNs }

  // MARK: Hitches

  private static let longHitchNs = 100 * ms

  /// Judges a frame source by the band of its hitches, and by the longest of them. A timer that only looks like a frame
  /// source may draw nothing, so the load of the machine does not count against it.
  static func hitches(_ source: FrameSourceResult) -> Finding.Severity? {
    guard source.choice == .offered else {
      switch source.band {
      case .bad: return .error
      case .noticeable: return .warning
      case .good: return source.longestHitchNs >= longHitchNs ? .info : nil
      }
    }
    let own = source.costs.filter { Cause.ofProgram.contains($0.blame.cause) }.map(\.hitchNs).saturatedSum
    switch HitchBand(hitchNs: own, activeNs: source.activeNs) {
    case .bad: return .warning
    case .noticeable: return .info
    case .good: return nil
    }
  }

  // MARK: Polls

  private static let pollsPerSecond = PollRates.perSecond
  private static let pollingNs = second

  /// Judges runs that returned at once without serving anything, which took `ns` together.
  static func polls(_ count: UInt64, ns: UInt64) -> Finding.Severity? {
    guard ns > 0 else { return nil }
    let rate = Double(count) / (Double(ns) / Double(second))
    if rate >= pollsPerSecond.error, ns >= pollingNs { return .error }
    if rate >= pollsPerSecond.warning, ns >= pollingNs { return .warning }
    // A spin that is too short for the table explains numbers.
    return rate >= pollsPerSecond.error && Double(count) >= pollsPerSecond.error ? .info : nil
  }

  /// Judges polling. `fastTimeNs` is the time in which it had the rate of an error.
  static func polls(_ polling: PollingResult) -> Finding.Severity? {
    polling.fastTimeNs >= pollingNs ? .error : polls(polling.runs, ns: polling.timeNs)
  }

  // MARK: Work that never ran

  private static let unservedNs = second

  /// Judges work that waited until the end of the recording.
  static func neverRan(_ work: UnservedResult) -> Finding.Severity {
    if work.isUncertain { return .info }
    return work.mayBeDeadlock ? .error : neverEnded(work.waitedNs)
  }

  /// Judges a wait that had not ended at the end of the recording.
  static func neverEnded(_ ns: UInt64) -> Finding.Severity { ns >= unservedNs ? .error : .warning }

  /// Judges items of a loop that never ran; nil = the thread may still have been about to run it.
  static func neverRan(_ loop: UnrunLoopResult) -> Finding.Severity? {
    guard loop.endedNs != nil || loop.waitedNs >= unservedNs else { return nil }
    return loop.hasUnseenCalls ? .error : .warning
  }

  // MARK: Exhausted pools

  /// Judges the longest wait of a job for a pool of Swift tasks whose threads wait.
  static func exhausted(_ ns: UInt64) -> Finding.Severity { ns >= second ? .error : .warning }

  /// Judges the waits of a queue's work for each other. Work that only computes may be as quick as it can be.
  static func waits(for activity: QueueBacklog.Activity?) -> Finding.Severity {
    switch activity {
    case .waiting?, .mixed?: .warning
    case .computing?, .unknown?, nil: .info
    }
  }

  // MARK: Growth

  private static let growth = (error: UInt64(200), warning: UInt64(20))

  /// Judges the number of live items of one place: at the start of the span and after each tenth of it.
  ///
  /// Items that exist at the end of the first tenth belong to the start of the program. The number grows until the
  /// end, so a screen that opens late does not count: each third of the other time adds a tenth of the growth. Up to
  /// `unseenEnds` items may have ended unseen.
  static func growth(_ live: [UInt64], unseenEnds: UInt64) -> Finding.Severity? {
    guard live.count == 11, let first = live.dropFirst().first, let last = live.last, last > first,
      zip(live.dropFirst(), live.dropFirst(2)).allSatisfy({ $0 <= $1 })
    else { return nil }
    let added = last - first
    let thirds = [live[1], live[4], live[7], live[10]]
    guard zip(thirds, thirds.dropFirst()).allSatisfy({ isAtLeast($1 - $0, 0.1, of: added) && $1 > $0 }) else {
      return nil
    }
    let certain = added - min(added, unseenEnds)
    return certain >= growth.error ? .error : certain >= growth.warning ? .warning : nil
  }

  // MARK: Rows

  /// A row as the page shows it.
  package struct Row: Sendable {
    package var what: String
    package var rules: [RuleID]
    package var error: String
    package var warning: String
    package var info: String

    /// The row as a line of a Markdown table.
    package var line: String {
      let links = rules.map { "[\($0.rawValue)](#\($0.rawValue.lowercased()))" }.joined(separator: ", ")
      return "| \(what) | \(links) | \(error) | \(warning) | \(info) |"
    }
  }

  package static let rows = [
    Row(
      what: "missed fires of a timer",
      rules: [.starvedByMode, .starvedByBusy, .starvedByNoRun, .starvedByItself],
      error:
        "\(percent(missedShare.error)) or more and a stretch of \(time(missedNs.warning)), or a stretch of \(time(missedNs.error))",
      warning: "\(percent(missedShare.warning)) or more, or a stretch of \(time(missedNs.warning))",
      info: "any"),
    Row(
      what: "hangs of a loop", rules: [.hang, .shortHangs],
      error:
        "one of \(time(hangNs.error)), or \(time(hangNs.error)) together and \(percent(hangShare.error)) of its active time",
      warning:
        "one of \(time(hangNs.warning)), or \(shortHangs) of \(time(shortHangNs)) that take \(percent(hangShare.warning)) of its active time together",
      info: "–"),
    Row(
      what: "an event loop is blocked", rules: [.hang, .blockedEventLoop],
      error: "\(time(blockedNs)) while something is seen to wait",
      warning:
        "\(time(BlockedLoop.waitingNs)) asleep or waiting, \(time(BlockedLoop.computingNs)) computing",
      info: "–"),
    Row(
      what: "hitches of a frame source", rules: [.hitches], error: ratio(.bad), warning: ratio(.noticeable),
      info: "one of \(time(longHitchNs))"),
    Row(
      what: "polls that return nothing", rules: [.spins, .emptyRuns],
      error: "\(Int(pollsPerSecond.error)) per second for \(time(pollingNs))",
      warning: "\(Int(pollsPerSecond.warning)) per second for \(time(pollingNs))",
      info: "\(Int(pollsPerSecond.error)) at the rate of an error"),
    Row(
      what: "work that never ran", rules: [.unservedWork, .waitsForItself],
      error: "it waits behind itself, or waited \(time(unservedNs)) at the end of the recording",
      warning: "less", info: "it may be lost"),
    Row(
      what: "items of a loop that never ran", rules: [.loopNeverRan],
      error: "an observer or a source1, for \(time(unservedNs)) or to the end of its thread",
      warning: "only source0s and timers", info: "–"),
    Row(
      what: "all threads of a pool occupied while a job waits \(time(shortHangNs))", rules: [.poolExhausted],
      error: "they wait, for \(time(second))", warning: "they wait", info: "–"),
    Row(
      what: "1 % of the waits for a queue take \(time(shortHangNs))", rules: [.mainQueueWaits], error: "–",
      warning: "its threads wait, or it is the main queue", info: "they compute, or it is not known"),
    Row(
      what: "a thread waits for a queue to the end of the recording", rules: [.mainQueueWaits],
      error: time(unservedNs), warning: time(UnservedResult.thresholdNs), info: "–"),
    Row(
      what: "growth of live items of one place", rules: [.leakedItems],
      error: "\(growth.error) more at the end than after the first tenth of the span, never falling",
      warning: "\(growth.warning) more", info: "–"),
  ]

  private static func time(_ ns: UInt64) -> String {
    ns.isMultiple(of: second) ? "\(ns / second) s" : "\(ns / ms) ms"
  }
  private static func ratio(_ band: HitchBand) -> String {
    "\(Int(clamping: band.fromRatio)) ms per second of its active time"
  }
  private static func percent(_ share: Double) -> String { "\(Int(clamping: (share * 100).rounded())) %" }
}
