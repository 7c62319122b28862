import Foundation
import TraceAnalysis
import TraceTables

/// The data for the report's script besides the tables. Lengths and moments are nanoseconds since the beginning of
/// the span unless stated otherwise. Names are indices into the timeline's list.
struct PageData {
  private let analysis: Analysis
  private let threadNames: ThreadNames
  private var names: NameList

  /// Returns the data as text that is safe in a page. `names` includes the long names of the tables.
  static func island(
    _ analysis: Analysis, _ timeline: Timeline, _ names: NameList, _ starvation: Starvation,
    _ places: FindingPlaces
  ) throws -> String {
    var data = PageData(analysis: analysis, threadNames: ThreadNames(analysis.trace.threads), names: names)
    let trace = analysis.trace
    var fields: [String: any ValueConvertible] = [
      "unitNs": trace.timeUnitNs,
      // As text, because the number may exceed the exact range of a script's numbers.
      "fromNs": "\(trace.fromNs)", "spanNs": "\(trace.toNs &- trace.fromNs)", "threads": data.threads(),
      "timers": data.timers(drawn: Set(timeline.timers)), "life": data.life(), "marks": data.marks(),
      "intervals": data.intervals(), "gaps": data.gaps(), "hangs": data.hangs(),
      "suspensions": trace.suspensions.map { [data.relative($0.startNs), $0.durationNs] },
      "findings": data.findings(places), "histograms": data.histograms(), "utilisation": data.utilisation(),
      "starvation": starvation.groups.map { Value.known(["timers": $0.variants.map(\.timer.id)]) },
    ]
    fields["stalls"] = StallStacks.fields(analysis, &data.names)
    fields["timeline"] = Value.known(
      timeline.fields.merging(["names": data.names.texts]) { first, _ in first })
    return try escaped(Value.known(fields))
  }

  private func relative(_ ns: UInt64) -> UInt64 { analysis.sinceBeginning(ns) }

  private func threads() -> [Value] {
    analysis.trace.threads.map {
      .known(["index": $0.index, "name": NameList.clean(threadNames[$0.index]), "main": $0.isMain])
    }
  }

  private mutating func timers(drawn: Set<Int>) -> [Value] {
    let shown = analysis.timers.mostStarvedFirst.map { analysis.timers[$0] }.filter { drawn.contains($0.id) }
    return shown.map { timer -> Value in
      .known([
        "id": timer.id, "name": names.number(of: timer.name), "kind": NameList.clean(timer.modeNames),
        // 0 = the timer fires once.
        "interval": timer.intervalNs == 0 && timer.ledger == nil ? nil : timer.intervalNs,
        "common": timer.isCommon, "modes": timer.modes.map { names.number(of: $0) }, "thread": timer.thread,
      ])
    }
  }

  private mutating func life() -> [Value] {
    let phases = analysis.lifeCycle.phases.map {
      ("phase", $0.phase.name, $0.startNs, $0.durationNs, UInt64?.none)
    }
    let tasks = analysis.lifeCycle.tasks.map {
      ("task", $0.name, $0.startNs, $0.usedNs, $0.budgetNs > 0 ? $0.budgetNs : nil)
    }
    return (phases + tasks).map { what, name, start, length, budget in
      .known([
        "what": what, "name": names.number(of: name), "start": relative(start), "length": length,
        "budget": budget,
      ])
    }
  }

  private mutating func marks() -> [Value] {
    analysis.marks.marks.map {
      .known(["name": names.number(of: $0.name), "time": relative($0.timeNs), "thread": $0.thread])
    }
  }

  private mutating func intervals() -> [Value] {
    analysis.marks.intervals.map {
      .known([
        "name": names.number(of: $0.name), "start": relative($0.startNs),
        "length": $0.durationNs &+ $0.suspendedNs, "thread": $0.thread, "open": $0.isOpen,
      ])
    }
  }

  private mutating func gaps() -> [Value] {
    analysis.gaps.map { gap in
      .known([
        "start": relative(gap.startNs), "length": gap.durationNs &+ gap.suspendedNs, "thread": gap.thread,
        "after": gap.after.name,
        "callout": gap.callouts.first.map { names.number(of: "\($0.kind) \($0.name)") },
      ])
    }
  }

  private mutating func hangs() -> [Value] {
    analysis.hangs.map { hang in
      let length = hang.durationNs &+ hang.suspendedNs
      return .known([
        "start": relative(hang.startNs), "length": length, "thread": hang.thread,
        "by": analysis.holder(of: hang).map { names.number(of: $0) },
        "callout": hang.callouts.first.map { names.number(of: "\($0.kind) \($0.name)") },
      ])
    }
  }

  private func findings(_ places: FindingPlaces) -> [Value] {
    analysis.findings.map { finding in
      .known([
        "title": "\(finding.rule.rawValue) \(finding.title)", "severity": finding.severity.name,
        "isHang": finding.rule == .hang, "timers": finding.subjects.compactMap(\.timer),
        "threads": Set(finding.subjects.compactMap(\.thread)).ordered(),
        "spans": places.of(finding).map { [relative($0.startNs), max($0.lengthNs, 1)] },
      ])
    }
  }

  private mutating func histograms() -> [Value] {
    LatencyTables.ofModes(analysis.modes).filter { $0.values.count > 0 }.map {
      let values = $0.values
      return .known([
        "thread": NameList.clean($0.thread.map { threadNames[$0] } ?? ""), "mode": names.number(of: $0.name),
        "what": $0.title, "low": PackedColumn(growing: values.buckets.map(\.lowNs)),
        "width": PackedColumn(values.buckets.map { $0.highNs &- $0.lowNs }),
        "count": PackedColumn(values.buckets.map(\.count)), "p50": values.p50, "p99": values.p99,
        "max": values.max, "total": values.count,
      ])
    }
  }

  private func utilisation() -> [Value] {
    analysis.utilisation.map { row in
      .known([
        "thread": row.thread, "start": PackedColumn(growing: row.series.map { relative($0.startNs) }),
        "busy": PackedColumn(row.series.map(\.busyNs)), "waiting": PackedColumn(row.series.map(\.waitingNs)),
      ])
    }
  }

  /// Encodes the value without characters that end a script or begin markup.
  private static func escaped(_ value: Value) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var out: [UInt8] = []
    for byte in [UInt8](try encoder.encode(value)) {
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
