import ReportWriting
import TraceAnalysis
import TraceFormat
import TraceReplay
import TraceTables

/// The rows of the picture of an analysis.
extension Glance {
  /// The number of columns. Events at most `nearby` columns apart count as one run.
  private static let columns = 400
  private static let nearby = 12

  /// Collects the rows. `timeline` must have been the sink of `analysis`.
  package init(_ analysis: Analysis, _ timeline: TimelineBuilder, _ names: TraceNames) {
    self.init(
      [
        ("hangs", Self.hangs(analysis)), ("starvation", Self.starvation(analysis, timeline)),
        ("mode", Self.modes(analysis, timeline, names)),
      ], fromNs: analysis.trace.fromNs, lengthNs: analysis.spanNs)
  }

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
}

extension Analysis {
  /// Returns the start of a column, counted from the beginning of the span.
  fileprivate func moment(_ column: Int, of columns: Int) -> UInt64 {
    UInt64(clamping: Double(spanNs) * Double(column) / Double(columns))
  }
}
