import Foundation
import ReportWriting
import TraceAnalysis
import TraceTables

/// Makes the data for the report's script from an analysis.
struct PageDataBuilder {
  private let analysis: Analysis
  private let threadNames: ThreadNames
  private var names: NameList

  /// Returns the data as text that is safe in a page. `names` includes the long names of the tables.
  static func island(
    _ analysis: Analysis, _ timeline: PageTimeline, _ names: NameList, _ starvation: Starvation,
    _ places: FindingPlaces
  ) throws -> String {
    var builder = PageDataBuilder(
      analysis: analysis, threadNames: ThreadNames(analysis.trace.threads), names: names)
    return try escaped(builder.data(timeline, starvation, places))
  }

  private mutating func data(
    _ timeline: PageTimeline, _ starvation: Starvation, _ places: FindingPlaces
  ) -> PageData {
    let trace = analysis.trace
    var data = PageData(
      unitNs: trace.timeUnitNs, fromNs: "\(trace.fromNs)", spanNs: "\(trace.toNs &- trace.fromNs)",
      threads: threads(), timers: timers(drawn: Set(timeline.timers.map(\.id))), life: life(), marks: marks(),
      intervals: intervals(), gaps: gaps(), hangs: hangs(), hitches: hitches(),
      suspensions: trace.suspensions.map { PagePair(relative($0.startNs), $0.durationNs) },
      findings: findings(places), histograms: histograms(), utilisation: utilisation(),
      starvation: starvation.groups.map { PageStarvation(timers: $0.variants.map(\.timer.id)) },
      stalls: StallStacks.stalls(analysis, &names), timeline: timeline)
    data.timeline.names = names.texts
    return data
  }

  private func relative(_ ns: UInt64) -> UInt64 { analysis.sinceBeginning(ns) }

  private func threads() -> [PageThread] {
    analysis.trace.threads.map {
      PageThread(index: $0.index, name: NameList.clean(threadNames[$0.index]), main: $0.isMain)
    }
  }

  private mutating func timers(drawn: Set<Int>) -> [PageTimer] {
    let shown = analysis.timers.mostStarvedFirst.map { analysis.timers[$0] }.filter { drawn.contains($0.id) }
    return shown.map { timer in
      PageTimer(
        id: timer.id, name: names.number(of: timer.name), kind: NameList.clean(timer.modeNames),
        interval: timer.isRemainder || timer.intervalNs == 0 && timer.ledger == nil ? nil : timer.intervalNs,
        common: timer.isCommon, modes: timer.modes.map { names.number(of: $0) }, thread: timer.thread)
    }
  }

  private mutating func life() -> [PageLife] {
    let phases = analysis.lifeCycle.phases.map {
      PageLife(
        what: .phase, name: names.number(of: $0.phase.name), start: relative($0.startNs),
        length: $0.durationNs)
    }
    let tasks = analysis.lifeCycle.tasks.map {
      PageLife(
        what: .task, name: names.number(of: $0.name), start: relative($0.startNs), length: $0.usedNs,
        budget: $0.budgetNs > 0 ? $0.budgetNs : nil)
    }
    return phases + tasks
  }

  private mutating func marks() -> [PageMark] {
    analysis.marks.marks.map {
      PageMark(name: names.number(of: $0.name), time: relative($0.timeNs), thread: $0.thread)
    }
  }

  private mutating func intervals() -> [PageInterval] {
    analysis.marks.intervals.map {
      PageInterval(
        name: names.number(of: $0.name), start: relative($0.startNs),
        length: $0.durationNs &+ $0.suspendedNs, thread: $0.thread, open: $0.isOpen)
    }
  }

  private mutating func gaps() -> [PageGap] {
    analysis.gaps.map { gap in
      PageGap(
        start: relative(gap.startNs), length: gap.durationNs &+ gap.suspendedNs, thread: gap.thread,
        after: gap.after.name,
        callout: gap.callouts.first.map { names.number(of: "\($0.kind) \($0.name)") })
    }
  }

  private mutating func hangs() -> [PageHang] {
    analysis.hangs.map { hang in
      let length = hang.durationNs &+ hang.suspendedNs
      return PageHang(
        start: relative(hang.startNs), length: length, thread: hang.thread,
        by: analysis.holder(of: hang).map { names.number(of: $0) },
        callout: hang.callouts.first.map { names.number(of: "\($0.kind) \($0.name)") })
    }
  }

  private mutating func hitches() -> [PageHitch]? {
    let hitches = analysis.frames.hitches
    guard !hitches.isEmpty else { return nil }
    return hitches.map { hitch in
      PageHitch(
        timer: hitch.timer, start: relative(hitch.startNs), length: hitch.durationNs,
        due: hitch.dueNs.map { relative($0) }, ready: hitch.readyNs.map { relative($0) },
        cause: hitch.blame.cause.rawValue,
        causeLength: hitch.causeNs, blamed: hitch.blame.culprit.map { names.number(of: $0) },
        function: hitch.function.map { names.number(of: $0.sourcePlace) })
    }
  }

  private func findings(_ places: FindingPlaces) -> [PageFinding] {
    analysis.findings.map { finding in
      PageFinding(
        title: "\(finding.rule.rawValue) \(finding.title)", severity: finding.severity.name,
        isHang: finding.rule == .hang, timers: finding.subjects.compactMap(\.timer),
        threads: Set(finding.subjects.compactMap(\.thread)).ordered(),
        spans: places.of(finding).map { PagePair(relative($0.startNs), max($0.lengthNs, 1)) })
    }
  }

  private mutating func histograms() -> [PageHistogram] {
    LatencyTables.ofModes(analysis.modes).filter { $0.values.count > 0 }.map {
      let values = $0.values
      return PageHistogram(
        thread: NameList.clean($0.thread.map { threadNames[$0] } ?? ""), mode: names.number(of: $0.name),
        what: $0.title, low: PackedColumn(growing: values.buckets.map(\.lowNs)),
        width: PackedColumn(values.buckets.map { $0.highNs &- $0.lowNs }),
        count: PackedColumn(values.buckets.map(\.count)), p50: values.p50, p99: values.p99,
        max: values.max, total: values.count)
    }
  }

  private func utilisation() -> [PageUtilisation] {
    analysis.utilisation.map { row in
      PageUtilisation(
        thread: row.thread, start: PackedColumn(growing: row.series.map { relative($0.startNs) }),
        busy: PackedColumn(row.series.map(\.busyNs)), waiting: PackedColumn(row.series.map(\.waitingNs)))
    }
  }

  /// Encodes the data without characters that end a script or begin markup.
  private static func escaped(_ data: PageData) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var out: [UInt8] = []
    for byte in [UInt8](try encoder.encode(data)) {
      switch byte {
      case UInt8(ascii: "<"): out += Array("\\u003c".utf8)
      case UInt8(ascii: ">"): out += Array("\\u003e".utf8)
      case UInt8(ascii: "&"): out += Array("\\u0026".utf8)
      default: out.append(byte)
      }
    }
    return String(decoding: out, as: UTF8.self)
  }
}
