import ArgumentParser
import JudgementReport
import TextReport
import TraceAnalysis
import TraceFormat
import WhatIf

/// `--worth`, for commands that can predict what findings are worth.
enum WorthOfFindings {
  /// The help text of `--worth`.
  static let help =
    "Predict what the changes that findings suggest would do, and add it to the findings where the prediction is "
    + "exact or has bounds. See `rltrace what-if`."

  /// A replay needs the whole trace.
  static func refuse(_ span: SpanArguments) throws {
    guard span.from != nil || span.to != nil else { return }
    throw ValidationError("--worth needs the whole trace, so it cannot be combined with --from and --to.")
  }

  /// Adds the worth to each finding that the text shows. A trace that cannot be replayed gets a note instead.
  static func add(to analysis: inout Analysis, _ reader: TraceReader, file: String) {
    do throws(WhatIfError) {
      let replay = try WhatIfReplay(reader, analysis, file: file, toleranceNs: nil)
      for at in analysis.findings.indices.prefix(AnalysisText.shown) {
        analysis.findings[at].worth = replay.worth(of: analysis.findings[at])
      }
    } catch {
      Terminal.complain("\(file): the worth of findings cannot be predicted: \(error.reason)")
    }
  }
}

extension WhatIfReplay {
  /// Returns the effect of the changes that a finding suggests. Nil if it suggests none, or if their
  /// prediction is neither exact nor bounded.
  func worth(of finding: Finding) -> Worth? {
    let changes = SuggestedChanges.all(finding, base)
    guard !changes.isEmpty, let (prediction, figures) = try? tried(changes, withRange: true),
      prediction.bounds == .certain
    else { return nil }
    // Smaller is better for each of the numbers, so the high end is the less favourable one.
    let entry = WhatIfRanking.Entry(
      change: "", isExact: prediction.doubts.isEmpty,
      figures.map { figure in
        var figure = figure
        figure.predicted = figure.range?.upperBound ?? figure.predicted
        return figure
      })
    let left = figures.first { $0.subject == "hangs" && $0.name == "number" }?.range?.upperBound
    return Worth(
      changes: changes, isExact: entry.isExact, residueNs: predictor.isExact ? 0 : predictor.residueNs,
      firesWonBack: entry.firesWonBack, hangsRemovedNs: entry.hangsRemovedNs,
      hitchesRemovedNs: finding.rule == .hitches ? entry.hitchesRemovedNs : 0, hangsLeft: left ?? 0,
      busyNs: entry.busyNs)
  }
}

/// The changes that a finding, or the trace as a whole, suggests.
enum SuggestedChanges {
  /// The number of changes that one finding may suggest; if there are more, none are predicted.
  private static let most = 20
  /// The length of a shortened callout in a prediction.
  static let shortNs = FindingLimits.longWhileTrackingNs

  /// Returns the changes that a finding suggests: timers that starve go into the modes that ran, the callout that
  /// held others up becomes short, and idle work goes into the default mode.
  static func all(_ finding: Finding, _ analysis: Analysis) -> [String] {
    let changes = finding.subjects.flatMap { subject -> [String] in
      switch finding.rule {
      case .starvedByMode: analysis.timers.first { $0.id == subject.timer }.map(modes) ?? []
      case .hang, .starvedByBusy, .starvedByItself, .slowWhileTracking:
        subject.evidence.lazy.compactMap(\.callout).first.flatMap(short).map { [$0] } ?? []
      case .hitches: analysis.timers.first { $0.id == subject.timer }.map { hitches(of: $0, analysis) } ?? []
      case .idleWork: subject.evidence.lazy.compactMap(\.callout).first.flatMap(idle).map { [$0] } ?? []
      default: []
      }
    }.uniqued()
    return changes.count > most ? [] : changes
  }

  /// Returns the changes that put a timer into the modes in which it starves; none if it joined them later.
  static func modes(of timer: TimerResult) -> [String] {
    let starving = (timer.ledger?.wrongModeBy ?? []).filter { $0.count > 0 }.map(\.mode)
    guard !starving.contains(where: timer.modes.contains), !timer.hasMoreNames, !timer.isRemainder else {
      return []
    }
    return timer.names.compactMap(quoted).flatMap { name in
      let others = starving.filter { timer.isCommon || timer.commonModesOfLoop?.contains($0) == false }
      return (others.count < starving.count ? ["timer \(name) in common"] : [])
        + others.map { "timer \(name) also in \($0)" }
    }
  }

  /// Returns the change against what cost a frame source most hitch time: a mode, or a callout, which then takes at
  /// most half an interval.
  private static func hitches(of timer: TimerResult, _ analysis: Analysis) -> [String] {
    let sources = analysis.frames.judged.filter { timer.classes.contains($0.timer) }
    guard let cost = sources.flatMap(\.costs).max(by: { $0.hitchNs < $1.hitchNs }) else { return [] }
    if cost.blame.cause == .wrongMode { return modes(of: timer) }
    guard let kind = CalloutKind(rawValue: cost.blame.kind) else { return [] }
    let intervals = sources.map(\.intervalNs)
    return short(kind, cost.blame.callout, mostNs: min(shortNs, (intervals.min() ?? 0) / 2)).map { [$0] }
      ?? []
  }

  /// Returns the change that makes a callout short. `callout` has its kind and name, in the form used in evidence.
  private static func short(_ callout: String) -> String? {
    let parts = callout.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, let kind = CalloutKind(rawValue: String(parts[0])) else { return nil }
    return short(kind, String(parts[1]))
  }

  /// Returns the change that moves a timer or block to the default mode; nil for other callouts.
  private static func idle(_ callout: String) -> String? {
    let parts = callout.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, parts[0] == "timer" || parts[0] == "block", let name = quoted(String(parts[1]))
    else { return nil }
    return "\(parts[0]) \(name) in default"
  }

  /// Returns the change that limits a callout to whole milliseconds, or to microseconds below that; nil if changes
  /// cannot name it.
  static func short(_ kind: CalloutKind, _ name: String, mostNs: UInt64 = shortNs) -> String? {
    guard !name.isEmpty, let name = quoted(name) else { return nil }
    let word: String
    switch kind {
    case .timer: word = "timer"
    case .source0, .source1: word = "source"
    case .block, .mainQueueBlock: word = "block"
    case .observer: word = "observer"
    case .mainQueueDrain, .work: return nil
    }
    let most = mostNs < 1_000_000 ? "\(mostNs / 1000)us" : "\(mostNs / 1_000_000)ms"
    return "\(word) \(name) takes at most \(most)"
  }

  static func quoted(_ name: String) -> String? { name.contains("\"") ? nil : "\"\(name)\"" }
}
