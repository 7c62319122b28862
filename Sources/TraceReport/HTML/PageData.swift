import Foundation
import TraceAnalysis

/// What the report's script is given besides the tables. Lengths and moments are nanoseconds since the span's
/// beginning unless they say otherwise.
struct PageData: Encodable {
  let timeline: TimelineData
  let unitNs: UInt64
  /// Since the recording's origin; text, because it may be beyond a script's exact numbers.
  let fromNs: String
  let spanNs: String
  let threads: [Thread]
  let timers: [Timer]
  let life: [Life]
  let marks: [Mark]
  let intervals: [Interval]
  let gaps: [Gap]
  let suspensions: [[UInt64]]
  let findings: [Finding]
  let histograms: [Histogram]
  let utilisation: [Utilisation]
  let starvation: [StarvationGroup]

  struct Thread: Encodable {
    let index: UInt32
    let name: String
    let main: Bool
  }

  struct Timer: Encodable {
    let id: Int
    let name: Int
    let kind: String
    /// Nanoseconds; 0 = it fires once, nil = not known.
    let interval: UInt64?
    let common: Bool
    let modes: [Int]
    let thread: UInt32?
  }

  struct Life: Encodable {
    let what: String
    let name: Int
    let start: UInt64
    let length: UInt64
  }

  struct Mark: Encodable {
    let name: Int
    let time: UInt64
    let thread: UInt32
  }

  struct Interval: Encodable {
    let name: Int
    let start: UInt64
    let length: UInt64
    let thread: UInt32
    let open: Bool
  }

  struct Gap: Encodable {
    let start: UInt64
    let length: UInt64
    let thread: UInt32
    let after: String
    let callout: Int?
  }

  struct Finding: Encodable {
    let title: String
    let severity: String
    let spans: [[UInt64]]
  }

  struct Histogram: Encodable {
    let thread: String
    let mode: Int
    let what: String
    let low: PackedColumn
    let width: PackedColumn
    let count: PackedColumn
    let p50: UInt64
    let p99: UInt64
    let max: UInt64
    let total: UInt64
  }

  struct Utilisation: Encodable {
    let thread: UInt32
    let start: PackedColumn
    let busy: PackedColumn
    let waiting: PackedColumn
  }

  struct StarvationGroup: Encodable {
    let timers: [Int]
  }

  init(
    _ analysis: Analysis, _ timeline: TimelineData, _ names: inout NameList, _ starvation: Starvation,
    _ places: FindingPlaces
  ) {
    let from = analysis.trace.fromNs
    func relative(_ ns: UInt64) -> UInt64 { ns > from ? ns - from : 0 }
    unitNs = analysis.trace.timeUnitNs
    fromNs = "\(from)"
    spanNs = "\(analysis.trace.toNs &- from)"
    let threadNames = ThreadNames(analysis.trace.threads)
    threads = analysis.trace.threads.map {
      Thread(index: $0.index, name: NameList.clean(threadNames[$0.index]), main: $0.isMain)
    }
    let drawn = Set(timeline.timers.map(\.id))
    var found: [Timer] = []
    for timer in analysis.timers.mostStarvedFirst where drawn.contains(timer.id) {
      found.append(
        Timer(
          id: timer.id, name: names.number(of: timer.name),
          kind: timer.isCommon ? "common modes" : NameList.clean(timer.modes.joined(separator: ", ")),
          interval: timer.intervalNs == 0 && timer.ledger == nil ? nil : timer.intervalNs,
          common: timer.isCommon, modes: timer.modes.map { names.number(of: $0) }, thread: timer.thread))
    }
    timers = found
    life = Self.life(analysis.lifeCycle, relative, &names)
    var marks: [Mark] = [], intervals: [Interval] = []
    for mark in analysis.marks.marks {
      marks.append(
        Mark(name: names.number(of: mark.name), time: relative(mark.timeNs), thread: mark.thread))
    }
    for interval in analysis.marks.intervals {
      intervals.append(
        Interval(
          name: names.number(of: interval.name), start: relative(interval.startNs),
          length: interval.durationNs &+ interval.suspendedNs, thread: interval.thread,
          open: interval.isOpen))
    }
    self.marks = marks
    self.intervals = intervals
    var gaps: [Gap] = []
    for gap in analysis.gaps {
      gaps.append(
        Gap(
          start: relative(gap.startNs), length: gap.durationNs &+ gap.suspendedNs, thread: gap.thread,
          after: gap.after.name,
          callout: gap.callouts.first.map { names.number(of: "\($0.kind) \($0.name)") }))
    }
    self.gaps = gaps
    suspensions = analysis.trace.suspensions.map { [relative($0.startNs), $0.durationNs] }
    findings = analysis.findings.map { finding in
      Finding(
        title: "\(finding.rule.rawValue) \(finding.title)", severity: finding.severity.name,
        spans: places.of(finding).map { [relative($0.startNs), max($0.lengthNs, 1)] })
    }
    histograms = Self.histograms(analysis, threadNames, &names)
    utilisation = analysis.utilisation.map { row in
      Utilisation(
        thread: row.thread, start: PackedColumn(growing: row.series.map { relative($0.startNs) }),
        busy: PackedColumn(row.series.map(\.busyNs)), waiting: PackedColumn(row.series.map(\.waitingNs)))
    }
    self.starvation = starvation.groups.map { group in StarvationGroup(timers: group.variants.map(\.timer.id))
    }
    self.timeline = timeline.with(names: names.texts)
  }

  private static func life(
    _ life: LifeCycleResult, _ relative: (UInt64) -> UInt64, _ names: inout NameList
  ) -> [Life] {
    var rows = life.phases.map {
      Life(
        what: "phase", name: names.number(of: $0.phase.name), start: relative($0.startNs),
        length: $0.durationNs)
    }
    for task in life.tasks {
      rows.append(
        Life(
          what: "task", name: names.number(of: task.name), start: relative(task.startNs), length: task.usedNs)
      )
    }
    return rows
  }

  private static func histograms(
    _ analysis: Analysis, _ threadNames: ThreadNames, _ names: inout NameList
  ) -> [Histogram] {
    var found: [Histogram] = []
    for mode in analysis.modes {
      for (what, distribution) in [("pass", mode.passNs), ("wake-to-callout", mode.wakeToCalloutNs)]
      where distribution.count > 0 {
        found.append(
          Histogram(
            thread: NameList.clean(threadNames[mode.thread]), mode: names.number(of: mode.mode), what: what,
            low: PackedColumn(growing: distribution.buckets.map(\.lowNs)),
            width: PackedColumn(distribution.buckets.map { $0.highNs &- $0.lowNs }),
            count: PackedColumn(distribution.buckets.map(\.count)), p50: distribution.p50,
            p99: distribution.p99,
            max: distribution.max, total: distribution.count))
      }
    }
    return found
  }

  /// As it may stand in a page: no character that ends a script or begins markup.
  func island() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var out: [UInt8] = []
    for byte in try encoder.encode(self) {
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
