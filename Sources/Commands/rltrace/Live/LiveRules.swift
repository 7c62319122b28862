import Foundation
import SystemSupport
import TraceAnalysis
import TraceFormat
import TraceGate
import TraceRecorder
import TraceResults

/// Judges the rules of `record --on` while the recording is under way, by the view that `rltrace watch` has of it. A
/// violation requests a snapshot.
///
/// A thread of its own reads the spools, so that neither the drain nor the program waits for an analysis.
final class LiveRules: Sendable {
  /// The shortest part that a flight recorder with rules may keep: a snapshot is cut up to 4 s after a violation.
  static let leastKeptNs: UInt64 = 5_000_000_000
  /// The rules are judged for the processes that ran a loop first.
  private static let processes = 16
  private static let intervalNs: UInt64 = 1_000_000_000
  private static let longestSpanNs: UInt64 = 10_000_000_000

  typealias Process = (trace: String, recording: SpoolRecording)

  private struct State {
    /// The traces of all processes so far.
    var known: Set<String> = []
    /// Processes that are not judged yet.
    var new: [Process] = []
    /// The places of rules that were decided at least once.
    var decided: Set<Int> = []
    /// Why the other rules were undecided.
    var undecided: [Int: String] = [:]
  }

  private let rules: [GateRule]
  private let spanNs: UInt64
  /// Whether a rule selects objects by names, which may be those of their code.
  private let namesCode: Bool
  private let state = Locked(State())
  private let isOver = AtomicFlag()

  /// `keptNs`: what the flight recorder keeps.
  init(_ rules: [GateRule], keptNs: UInt64) {
    self.rules = rules
    spanNs = min(keptNs, LiveRules.longestSpanNs)
    namesCode = rules.contains {
      $0.measure[.timer] != nil || $0.measure[.source] != nil || $0.measure[.callout] != nil
    }
  }

  func start() {
    do {
      try NativeThread("rltrace-rules") { self.run() }.detach()
    } catch {
      Terminal.complain("the rules of --on are not judged: \(String(cString: strerror(error.code)))")
    }
  }

  /// Judges the rules for these processes from now on as well.
  func watch(_ processes: [Process]) {
    state.withLock { state in
      for process in processes where state.known.insert(process.trace).inserted {
        if state.known.count <= LiveRules.processes { state.new.append(process) }
      }
    }
  }

  /// Ends the judging. Returns lines about what could not be judged.
  func end() -> [String] {
    isOver.isSet = true
    return state.withLock { state in
      var lines: [String] = []
      for (place, rule) in rules.enumerated() where !state.decided.contains(place) {
        guard let why = state.undecided[place] else { continue }
        lines.append("--on '\(harmless(rule.text, limit: 100))' was never decided: \(why)")
      }
      let others = state.known.count - LiveRules.processes
      if others > 0 {
        let more = Phrase.count(UInt64(clamping: others), "more process", "more processes")
        lines.append("the rules of --on were not judged for \(more)")
      }
      return lines
    }
  }

  /// The view of one process.
  private final class View {
    let source: LiveRecording
    let recording: SpoolRecording
    var episodes: [RuleEpisode]

    /// Throws if the process has just ended.
    init(_ process: Process, keptNs: UInt64, namesCode: Bool, rules: Int) throws(Failure) {
      source = try LiveRecording(
        WatchTarget(spool: SpoolName.path(trace: process.trace), trace: process.trace), keptNs: keptNs,
        namesCode: namesCode)
      recording = process.recording
      episodes = Array(repeating: RuleEpisode(), count: rules)
    }
  }

  private func run() {
    var views: [View] = []
    var nextNs = WatchTimes.now() &+ LiveRules.intervalNs
    while !isOver.isSet {
      for process in takeNew() {
        let view = try? View(process, keptNs: spanNs, namesCode: namesCode, rules: rules.count)
        if let view { views.append(view) }
      }
      views.removeAll { $0.source.update() != nil }
      let begun = WatchTimes.now()
      if begun >= nextNs {
        for view in views where !isOver.isSet { judge(view) }
        nextNs = WatchTimes.next(after: nextNs, begun: begun, intervalNs: LiveRules.intervalNs)
      }
      usleep(UInt32(WatchTimes.lookNs / 1000))
    }
  }

  private func takeNew() -> [Process] {
    state.withLock { state in
      defer { state.new = [] }
      return state.new
    }
  }

  private func judge(_ view: View) {
    let results: [Gate.RuleResult]
    do {
      let (reader, now) = try view.source.current()
      var options = GateCommand.options(nil)
      options.selectNewest(spanNs, until: now, in: reader)
      let trace = try GatedTrace(reader, rules, options, needsFindings: false)
      results = Gate(rules, trace: trace, baseline: .notGiven).results
    } catch {
      let why = (error as? Failure)?.message ?? "\(error)"
      return state.withLock { state in for place in rules.indices { state.undecided[place] = why } }
    }
    for (place, result) in results.enumerated() {
      state.withLock { state in
        if result.outcome == .undecided {
          state.undecided[place] = result.why
        } else {
          state.decided.insert(place)
        }
      }
      if let cause = view.episodes[place].take(result) { view.recording.requestSnapshot(because: cause) }
    }
  }
}
