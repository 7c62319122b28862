import Foundation
import TraceAnalysis
import TraceFormat
import TraceReplay
import TraceTables

/// A whole trace at a glance, as rows of a picture: when a loop hung and what held it, when timers starved, and which
/// modes ran. Pages without a script use it.
struct Glance {
  /// The axis that all pictures of a page share, so that they can be compared.
  struct Axis {
    /// The offset of the trace's beginning from that of the axis.
    var offsetNs: UInt64 = 0
    /// The length of the axis.
    var lengthNs: UInt64

    func x(_ ns: UInt64) -> Double {
      Double(offsetNs &+ ns) / Double(max(lengthNs, 1)) * Glance.width
    }
  }

  /// The width of the pictures, in their units.
  static let width = 1000.0
  /// The number of columns. Events at most `nearby` columns apart count as one run.
  private static let columns = 400
  private static let nearby = 12
  /// The width of a letter.
  private static let letter = 6.2

  /// A run of columns; times are relative to the trace's beginning.
  private struct Run {
    var startNs: UInt64
    var lengthNs: UInt64
    var label: String
    /// A CSS class.
    var tone: String
  }

  private let rows: [(name: String, runs: [Run])]
  private let fromNs: UInt64

  /// Collects the rows. `timeline` must have been the sink of `analysis`.
  init(_ analysis: Analysis, _ timeline: TimelineBuilder, _ names: TraceNames) {
    fromNs = analysis.trace.fromNs
    rows = [
      ("hangs", Self.hangs(analysis)), ("starvation", Self.starvation(analysis, timeline)),
      ("mode", Self.modes(analysis, timeline, names)),
    ]
  }

  /// Returns the rows for a template. `page` is the target of their links; nil = no links.
  func rows(on axis: Axis, page: String? = nil) -> [[String: Any]] {
    rows.map { name, runs in
      ["name": name, "bars": bars(runs, axis, page), "isEmpty": runs.isEmpty]
    }
  }

  private func bars(_ runs: [Run], _ axis: Axis, _ page: String?) -> [[String: Any]] {
    runs.enumerated().map { place, run in
      let left = axis.x(run.startNs)
      let right = max(axis.x(run.startNs &+ run.lengthNs), left + 2)
      let next = place + 1 < runs.count ? axis.x(runs[place + 1].startNs) : Self.width
      let label = Self.fitted(run.label, next - left - 4)
      return [
        "x": SVG.number(left), "width": SVG.number(right - left), "tone": run.tone,
        "words": "\(run.label), \(Units.duration(run.lengthNs)) from \(Units.moment(run.startNs))",
        "label": label.isEmpty ? [] : [["words": label]],
        "link": page.map {
          [["page": $0, "span": "\(fromNs &+ run.startNs)-\(fromNs &+ run.startNs &+ max(run.lengthNs, 1))"]]
        } ?? [],
      ]
    }
  }

  /// Returns the ticks of the common axis: their labels, all in one unit, and their positions.
  static func ticks(_ axis: Axis) -> [[String: Any]] {
    let steps = [1, 2, 5].flatMap { step in (0..<19).map { step * pow10($0) } }.ordered()
    let step = steps.first { $0 >= axis.lengthNs / 10 } ?? UInt64.max
    let (unit, size) =
      [("s", pow10(9)), ("ms", pow10(6)), ("µs", pow10(3))].first { axis.lengthNs >= $0.1 } ?? ("ns", 1)
    let digits = max(0, Int(clamping: log10(Double(size) / Double(step)).rounded(.up)))
    return stride(from: 0, to: max(axis.lengthNs, 1), by: Int(clamping: step)).map {
      let words = String(format: "%.*f", digits, Double($0) / Double(size))
      return ["x": SVG.number(Axis(lengthNs: axis.lengthNs).x($0)), "words": "\(words) \(unit)"]
    }
  }

  private static func pow10(_ power: Int) -> UInt64 { (0..<power).reduce(1) { power, _ in power * 10 } }

  // MARK: Runs

  private static func hangs(_ analysis: Analysis) -> [Run] {
    analysis.hangs.map { hang in
      let length = hang.durationNs &+ hang.suspendedNs
      return Run(
        startNs: analysis.sinceBeginning(hang.startNs), lengthNs: length,
        label:
          "\(Units.duration(hang.durationNs))  \(analysis.holder(of: hang).map { harmless($0, limit: 80) } ?? "")",
        tone: "hang")
    }
  }

  private static func starvation(_ analysis: Analysis, _ timeline: TimelineBuilder) -> [Run] {
    var missed = [UInt64](repeating: 0, count: columns)
    var timers = [Set<Int>](repeating: [], count: columns)
    for lane in 0..<timeline.timers.count {
      let bins = timeline.timers[lane].bins
      for (place, bin) in bins.enumerated() where bin.skipped > 0 {
        let column = place * columns / max(bins.count, 1)
        missed[column] &+= UInt64(bin.skipped)
        timers[column].insert(lane)
      }
    }
    return runs(missed.map { $0 > 0 ? true : nil }, within: nearby).map { run in
      let starving = timers[run.columns].reduce(into: Set()) { $0.formUnion($1) }.count
      let fires = missed[run.columns].reduce(0, &+)
      return Run(
        startNs: analysis.moment(run.columns.lowerBound, of: columns),
        lengthNs: analysis.moment(run.columns.count, of: columns),
        label:
          "\(starving) \(starving == 1 ? "timer misses" : "timers miss") \(fires) \(fires == 1 ? "fire" : "fires")",
        tone: "late")
    }
  }

  /// Returns the mode with the most time on the main thread in each column, combined into runs.
  private static func modes(
    _ analysis: Analysis, _ timeline: TimelineBuilder, _ names: TraceNames
  ) -> [Run] {
    guard timeline.threads.count > 0 else { return [] }
    let lanes = timeline.threads
    let main = analysis.trace.threads.first(where: \.isMain)?.index
    let lane = (0..<lanes.count).first { lanes[$0].thread == main } ?? 0
    let bins = lanes[lane].time.count
    let modes = lanes[lane].modes
    let times = modes.indices.map { lanes[lane].time(mode: $0) }
    var sums = [[UInt64]](repeating: [UInt64](repeating: 0, count: columns), count: modes.count)
    for mode in modes.indices {
      for bin in 0..<bins { sums[mode][bin * columns / max(bins, 1)] &+= times[mode][bin] }
    }
    let most = (0..<columns).map { column in
      modes.indices.filter { sums[$0][column] > 0 }.max { sums[$0][column] < sums[$1][column] }
    }
    // If there are fewer bins than columns, some columns have no value.
    return runs(most, within: columns / max(bins, 1) + 1).map { run in
      let name = names.mode(ModeID(modes[run.value]))
      return Run(
        startNs: analysis.moment(run.columns.lowerBound, of: columns),
        lengthNs: analysis.moment(run.columns.count, of: columns), label: harmless(name, limit: 80),
        tone: ModeName.isTracking(name) ? "tracking" : name == ModeName.default ? "default" : "other")
    }
  }

  /// Returns the runs of columns with one value. Fewer than `within` empty columns do not end a run.
  private static func runs<Value: Equatable>(
    _ values: [Value?], within: Int
  ) -> [(columns: Range<Int>, value: Value)] {
    var found: [(columns: Range<Int>, value: Value)] = []
    for (column, value) in values.enumerated() {
      guard let value else { continue }
      if let last = found.last, last.value == value, column - last.columns.upperBound < within {
        found[found.count - 1].columns = last.columns.lowerBound..<column + 1
      } else {
        found.append((column..<column + 1, value))
      }
    }
    return found
  }

  private static func fitted(_ text: String, _ room: Double) -> String {
    let letters = Int(max(room, 0) / letter)
    if text.count <= letters { return text }
    return letters > 3 ? "\(text.prefix(letters - 1))…" : ""
  }
}

extension Analysis {
  /// Returns the start of a column, counted from the beginning of the span.
  fileprivate func moment(_ column: Int, of columns: Int) -> UInt64 {
    UInt64(clamping: Double(spanNs) * Double(column) / Double(columns))
  }
}
