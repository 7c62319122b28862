import Foundation
import TraceAnalysis
import TraceReplay
import TraceTables

/// Compares the same timer in different modes, if a recording holds it in several.
struct Starvation {
  /// The number of groups shown.
  private static let limit = 6

  struct Variant {
    let timer: TimerResult
    /// The row of the timer in the analysis.
    let place: Int
    let kind: String
    /// The time in modes other than the default one, and the time of the timer's callouts in them.
    let awayNs: UInt64
    let costNs: UInt64
  }

  struct Group {
    let name: String
    let variants: [Variant]
    /// The interval, which all variants share.
    var interval: String { variants.first?.timer.intervalText ?? "" }
    var isComparison: Bool { Set(variants.map(\.kind)).count > 1 }
  }

  let groups: [Group]
  let omitted: Int

  static let variants = ResultTable<Variant>("starvation", "one row per variant of a timer") {
    Column(Heading("variant", "The modes that contain the timer.", at: 1)) { $0.kind }.shown(as: .name)
    [
      TimerTables.due, TimerTables.fired, TimerTables.skipped,
      TimerTables.worstLateness.headed("max late", "The longest lateness of its fires.", at: 8),
    ].map { $0.ofEach { $0.timer } }
    Column(
      Heading(
        "callouts outside the default mode",
        "Time of its callouts while a mode other than the default mode ran.", at: 9)
    ) { $0.costNs }.shown(as: .time)
    Column(
      Heading(
        "cost per second",
        "Time of its callouts for each second that the loop spent in modes other than the default mode.",
        at: 10
      )
    ) {
      $0.awayNs == 0 ? nil : UInt64(clamping: Double($0.costNs) / Double($0.awayNs) * 1e9)
    }.shown(as: .time)
  }

  init(_ analysis: Analysis) {
    let variants: [Variant] = analysis.timers.enumerated().filter { $1.intervalNs > 0 && $1.ledger != nil }
      .map { Self.variant($1, $0, analysis) }
    let members = Dictionary(grouping: variants) { "\(Self.base($0.timer.name)) \($0.timer.intervalText)" }
    let found: [Group] = members.values.ordered { $0[0].place < $1[0].place }.map { variants in
      let sorted = variants.ordered { (Self.rank($0), $0.place) < (Self.rank($1), $1.place) }
      return Group(name: Self.base(variants[0].timer.name), variants: sorted)
    }
    let all = found.filter(\.isComparison).ordered { Self.skipped($0) > Self.skipped($1) }
    groups = Array(all.prefix(Self.limit))
    omitted = all.count - groups.count
  }

  /// Returns the order of the variants, from a single mode to all common modes.
  private static func rank(_ variant: Variant) -> Int {
    switch variant.kind {
    case "default only": 0
    case "default + tracking": 1
    case "common modes": 2
    default: 3
    }
  }

  private static func skipped(_ group: Group) -> UInt64 {
    group.variants.map { $0.timer.ledger?.skipped ?? 0 }.saturatedSum
  }

  /// Returns the name without the parentheses at its end: `refresh (common)` is a `refresh`.
  static func base(_ name: String) -> String {
    guard name.hasSuffix(")"), let open = name.range(of: " (", options: .backwards) else { return name }
    return String(name[..<open.lowerBound])
  }

  private static func variant(_ timer: TimerResult, _ place: Int, _ analysis: Analysis) -> Variant {
    let others = timer.modes.filter { $0 != ModeName.default }
    let hasDefault = others.count < timer.modes.count
    let kind =
      timer.isCommon
      ? "common modes"
      : hasDefault && others.isEmpty
        ? "default only"
        : hasDefault && others.allSatisfy { ModeName.isTracking($0) }
          ? "default + tracking" : timer.modes.isEmpty ? "no mode" : timer.modes.joined(separator: " + ")
    let away = analysis.modes.filter {
      $0.mode != ModeName.default && (timer.thread == nil || $0.thread == timer.thread)
    }
    let cost = timer.calloutNsByMode.filter { $0.mode != ModeName.default && $0.mode != Phase.outside.name }
    return Variant(
      timer: timer, place: place, kind: kind, awayNs: away.map(\.timeNs).saturatedSum,
      costNs: cost.map(\.ns).saturatedSum)
  }
}
