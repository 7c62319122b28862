import TraceAnalysis
import TraceComparison
import TraceReplay
import WhatIf

/// A number of a recording and of a prediction.
package struct PredictedFigure: Sendable, Equatable {
  package enum Unit: String, Sendable {
    case count, ns
    /// Nanoseconds in each second.
    case nsPerS = "ns_per_s"
  }

  /// The subject of the number: a timer, a mode, the trace.
  package var subject: String
  package var name: String
  package var unit: Unit
  package var base: UInt64
  package var predicted: UInt64
  /// The range of the prediction; nil = not known.
  package var range: ClosedRange<UInt64>?

  package var isChanged: Bool { predicted != base || range.map { $0 != base...base } ?? false }
}

/// The numbers that a change is about: fires recovered, hitches, hangs, input delay, busy time by mode.
package enum PredictedFigures {
  /// Returns the numbers of a recording and its prediction. `others`: predictions that the recording allows as well.
  package static func all(
    _ base: Analysis, _ predicted: Analysis, others: [Analysis] = [], _ bounds: Prediction.Bounds
  ) -> [PredictedFigure] {
    let groups = TimerGroups([base, predicted] + others)
    let before = numbers(base, groups)
    let after = numbers(predicted, groups)
    let ranges = others.map { numbers($0, groups) }
    let known = framesKnown([base, predicted] + others, groups)
    var figures: [PredictedFigure] = []
    for key in before.keys + after.keys.filter({ before[$0] == nil }) {
      guard let now = after[key] ?? (before[key] != nil ? 0 : nil) else { continue }
      let isOfFrames = key.subject.hasPrefix(framesPrefix)
      if isOfFrames, !known.everywhere.contains(key.subject) { continue }
      let isUnknown = bounds == .unknown || isOfFrames && !known.withDuePoints.contains(key.subject)
      let range = ranges.map { $0[key] ?? 0 }.reduce(now...now) {
        min($0.lowerBound, $1)...max($0.upperBound, $1)
      }
      figures.append(
        PredictedFigure(
          subject: key.subject, name: key.name, unit: key.unit, base: before[key] ?? 0, predicted: now,
          range: isUnknown ? nil : range))
    }
    return figures
  }

  private struct Key: Hashable {
    var subject: String
    var name: String
    var unit: PredictedFigure.Unit
  }

  /// Numbers in the order in which they are shown.
  private struct Numbers {
    private(set) var keys: [Key] = []
    private var values: [Key: UInt64] = [:]

    subscript(key: Key) -> UInt64? { values[key] }

    /// Adds to a number.
    mutating func add(_ subject: String, _ name: String, _ unit: PredictedFigure.Unit, _ value: UInt64) {
      let key = Key(subject: subject, name: name, unit: unit)
      if values[key] == nil { keys.append(key) }
      values[key] = values[key, default: 0].addingReportingOverflow(value).partialValue
    }
  }

  private static func numbers(_ analysis: Analysis, _ groups: TimerGroups) -> Numbers {
    var numbers = Numbers()
    for timer in analysis.timers {
      let subject = "timer \(groups.subject(of: timer))"
      numbers.add(subject, "fired", .count, timer.fired)
      if let ledger = timer.ledger { numbers.add(subject, "skipped", .count, ledger.skipped) }
    }
    addFrames(analysis, groups, to: &numbers)
    let found = analysis.busy.filter(\.isHang)
    numbers.add("hangs", "number", .count, UInt64(found.count))
    numbers.add("hangs", "total", .ns, found.reduce(0) { $0 &+ $1.hangLengthNs })
    numbers.add("hangs", "longest", .ns, found.map(\.hangLengthNs).max() ?? 0)
    if let input = analysis.inputDelay {
      numbers.add("input delay", "p50", .ns, input.delay.p50)
      numbers.add("input delay", "p99", .ns, input.delay.p99)
      numbers.add("input delay", "longest", .ns, input.delay.max)
    }
    let threads = Dictionary(analysis.trace.threads.map { ($0.index, $0) }) { first, _ in first }
    for mode in analysis.modes {
      let thread = threads[mode.thread].map { $0.mainName ?? $0.name } ?? "thread \(mode.thread)"
      numbers.add(
        "mode \(harmless(mode.mode, limit: 60)) (\(harmless(thread, limit: 60)))", "busy", .ns, mode.busyNs)
    }
    return numbers
  }

  // MARK: Frames

  static let framesPrefix = "frames of timer "
  static let hitchTime = "hitch time"

  /// Returns the subject of the numbers of a frame source.
  private static func subject(
    of source: FrameSourceResult, _ analysis: Analysis, _ groups: TimerGroups
  ) -> String? {
    analysis.timers.first { $0.classes.contains(source.timer) }.map { framesPrefix + groups.subject(of: $0) }
  }

  private static func addFrames(_ analysis: Analysis, _ groups: TimerGroups, to numbers: inout Numbers) {
    var active: [(subject: String, hitchNs: UInt64, activeNs: UInt64)] = []
    for source in analysis.frames.judged {
      guard let subject = subject(of: source, analysis, groups) else { continue }
      numbers.add(subject, "hitches", .count, source.hitches)
      numbers.add(subject, hitchTime, .ns, source.hitchNs)
      if let at = active.firstIndex(where: { $0.subject == subject }) {
        active[at].hitchNs &+= source.hitchNs
        active[at].activeNs &+= source.activeNs
      } else {
        active.append((subject, source.hitchNs, source.activeNs))
      }
    }
    for (subject, hitchNs, activeNs) in active where activeNs > 0 {
      let ratio = Double(hitchNs) / Double(activeNs) * 1e9
      numbers.add(subject, "hitch ratio", .nsPerS, UInt64(clamping: ratio.rounded()))
    }
  }

  /// Returns the subjects of frame sources that all analyses judge, and those of them whose due points are all known.
  /// A source that only one of them judges would seem to gain or lose its hitches.
  private static func framesKnown(
    _ analyses: [Analysis], _ groups: TimerGroups
  ) -> (everywhere: Set<String>, withDuePoints: Set<String>) {
    let judged = analyses.map { analysis in
      analysis.frames.judged.compactMap { source in
        subject(of: source, analysis, groups).map { (subject: $0, isKnown: source.due != nil) }
      }
    }
    let subjects = judged.map { sources in Set(sources.map { $0.subject }) }
    let everywhere = subjects.dropFirst().reduce(subjects.first ?? []) { $0.intersection($1) }
    let unknown = Set(judged.joined().filter { !$0.isKnown }.map { $0.subject })
    return (everywhere, everywhere.subtracting(unknown))
  }
}

/// Timers that one of several analyses counts as one, because their settings are equal there.
private struct TimerGroups {
  /// By name: the names that are counted with it.
  private var groups: [String: Set<String>] = [:]

  init(_ analyses: [Analysis]) {
    for timer in analyses.flatMap(\.timers) {
      let names = timer.names.reduce(into: Set(timer.names)) { $0.formUnion(groups[$1] ?? []) }
      for name in names { groups[name] = names }
    }
  }

  func subject(of timer: TimerResult) -> String {
    (groups[timer.names.first ?? ""] ?? []).sorted().map { "\"\(harmless($0, limit: 60))\"" }
      .joined(separator: ", ")
  }
}
