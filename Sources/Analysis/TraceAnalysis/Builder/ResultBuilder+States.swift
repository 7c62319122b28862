import TraceFormat
import TraceReplay
import TraceResults

/// The program's named states, and results that one of them splits.
extension ResultBuilder {
  func states(_ replay: borrowing Replay) -> [StateResult] {
    replay.books.states.rows.map { row in
      with(StateResult()) { it in
        it.state = row.key.map { stateName($0.name) } ?? Remainder.rows
        it.value = row.key.map { names.string($0.value) ?? "value" } ?? Remainder.rows
        it.count = row.count
        it.timeNs = ns(row.time)
      }
    }.ordered { ($0.state, $1.timeNs, $0.value ?? "") < ($1.state, $0.timeNs, $1.value ?? "") }
  }

  private func stateName(_ id: StringID) -> String { names.string(id) ?? "state" }

  /// Returns the results by the values of a state. `watched`: the thread that receives input. `pools`: threads whose gaps
  /// and busy intervals say nothing.
  func split(
    _ sums: StateSplit, of result: Analysis, _ watched: UInt32?, _ pools: Set<UInt32>
  ) -> SplitResults {
    let places: [Int] = sums.values.indices.filter {
      sums.values[$0].count > 0 || sums.values[$0].time > .zero
    }.ordered { (sums.values[$1].time, $0) < (sums.values[$0].time, $1) }
    // The rows beyond the limit have no value of their own, and come last.
    var ranks: [Int: Int] = [:]
    for (rank, place) in places.enumerated() { ranks[place] = rank }
    func rank(_ place: Int?) -> Int { place.flatMap { ranks[$0] } ?? places.count }

    let modes = splitModes(sums, pools)
    let timers = splitTimers(sums, of: result.timers)
    let frames = splitFrames(sums, of: result.frames.sources)
    let callouts = splitCallouts(sums)
    return with(SplitResults()) { it in
      it.values = places.map { place in
        with(splitValue(place, sums, modes, timers, watched)) {
          $0.frames = frames.filter { $0.place == place && $0.row.isJudged }
            .reduce(HitchTime()) { $0.adding($1.row.hitchTime) }
        }
      }
      it.modes = modes.ordered {
        (rank($0.place), $1.row.timeNs, $0.row.mode) < (rank($1.place), $0.row.timeNs, $1.row.mode)
      }.map { $0.row }
      it.timers = timers.ordered {
        (rank($0.place), $0.row.timer ?? .max) < (rank($1.place), $1.row.timer ?? .max)
      }.map { $0.row }
      it.frames = frames.ordered {
        (rank($0.place), $0.row.timer ?? .max) < (rank($1.place), $1.row.timer ?? .max)
      }.map { $0.row }
      it.callouts = callouts.ordered {
        (rank($0.place), $1.row.timeNs, $0.row.name) < (rank($1.place), $0.row.timeNs, $1.row.name)
      }.map { $0.row }
    }
  }

  /// A row, and the place of its value; nil = the row for everything beyond the limit.
  private typealias Placed<Row> = (place: Int?, row: Row)

  /// Returns the text of a value; nil = the state has none.
  private func text(_ place: Int?, _ sums: StateSplit) -> String? {
    guard let place, let text = sums.values[place].text else { return Remainder.rows }
    return text == 0 ? nil : names.string(StringID(text)) ?? "value"
  }

  private func splitValue(
    _ place: Int, _ sums: StateSplit, _ modes: [Placed<SplitResults.Mode>],
    _ timers: [Placed<SplitResults.Timer>], _ watched: UInt32?
  ) -> SplitResults.Value {
    var value = SplitResults.Value()
    value.state = ShownName.of(sums.name)
    value.value = text(place, sums)
    value.isRemainder = sums.values[place].text == nil
    value.count = sums.values[place].count
    value.timeNs = ns(sums.values[place].time)
    for mode in modes where mode.place == place && mode.row.thread == watched {
      value.busyNs &+= mode.row.busyNs
      value.hangs &+= mode.row.hangs
      value.hangNs &+= mode.row.hangNs
      value.longestHangNs = max(value.longestHangNs, mode.row.longestHangNs)
    }
    for timer in timers where timer.place == place {
      guard let points = timer.row.points else { continue }
      value.due = value.due.saturated(adding: points.due)
      value.skipped = value.skipped.saturated(adding: points.skipped)
      value.overdueNs = value.overdueNs.saturated(adding: points.latenessNs.sum)
    }
    return value
  }

  /// Returns the rows of the sources that the results list.
  private func splitFrames(
    _ sums: StateSplit, of sources: [FrameSourceResult]
  ) -> [Placed<SplitResults.FrameSource>] {
    guard !sources.isEmpty else { return [] }
    let known = Dictionary(sources.map { ($0.timer, $0) }) { first, _ in first }
    var rows: [Placed<SplitResults.FrameSource>] = []
    for index in 0..<sums.frames.count {
      let key = sums.frames[index].key
      let source = key.flatMap { known[$0.timer] }
      // Other timers only have the interval of a source.
      guard key == nil || source != nil else { continue }
      var row = SplitResults.FrameSource()
      row.state = ShownName.of(sums.name)
      row.value = text(key?.value, sums)
      row.timer = source?.timer
      row.name = source?.name ?? Remainder.timers
      row.isJudged = source?.isJudged ?? false
      row.frames = sums.frames[index].counts.frames
      row.onTime = sums.frames[index].counts.onTime
      row.late = sums.frames[index].counts.late
      row.hitchTime.hitches = sums.frames[index].hitches
      row.hitchTime.hitchNs = sums.frames[index].hitchNs
      row.hitchTime.longestNs = sums.frames[index].longestNs
      row.hitchTime.activeNs = ns(sums.frames[index].active)
      row.squares = sums.frames[index].squares
      rows.append((key?.value, row))
    }
    return rows
  }

  private func splitModes(_ sums: StateSplit, _ pools: Set<UInt32>) -> [Placed<SplitResults.Mode>] {
    var rows: [Placed<SplitResults.Mode>] = []
    for index in 0..<sums.modes.count {
      let key = sums.modes[index].key
      var row = SplitResults.Mode()
      row.state = ShownName.of(sums.name)
      row.value = text(key?.value, sums)
      row.mode = key.map { names.mode(ModeID($0.mode)) } ?? ModeName.others
      row.thread = key?.thread ?? 0
      row.timeNs = ns(sums.modes[index].time)
      row.waitingNs = ns(sums.modes[index].waiting)
      row.passNs = distribution(sums.modes[index].pass)
      if !pools.contains(row.thread) {
        row.gaps = sums.modes[index].gaps
        row.gapNs = ns(sums.modes[index].gapTime)
        row.hangs = sums.modes[index].hangs
        row.hangNs = ns(sums.modes[index].hangTime)
        row.longestHangNs = ns(sums.modes[index].longestHang)
      }
      rows.append((key?.value, row))
    }
    return rows
  }

  private func splitTimers(
    _ sums: StateSplit, of timers: [TimerResult]
  ) -> [Placed<SplitResults.Timer>] {
    var timerOfClass: [Int: TimerResult] = [:]
    for timer in timers { for id in timer.classes { timerOfClass[id] = timer } }
    var rows: [Placed<SplitResults.Timer>] = []
    // A row of the results may have several classes.
    var known: [SIMD2<Int>: Int] = [:]
    for index in 0..<sums.timers.count {
      let key = sums.timers[index].key
      let timer = key.flatMap { timerOfClass[$0.timer] }
      let points = timer?.ledger == nil ? nil : splitPoints(sums.timers[index])
      let place = SIMD2(key?.value ?? -1, timer?.id ?? -1)
      if let at = known[place] {
        rows[at].row.fired &+= sums.timers[index].fired
        rows[at].row.points = rows[at].row.points.flatMap { sum in points.map { sum.adding($0) } }
        continue
      }
      known[place] = rows.count
      var row = SplitResults.Timer()
      row.state = ShownName.of(sums.name)
      row.value = text(key?.value, sums)
      row.timer = timer?.id
      row.name = timer?.name ?? Remainder.timers
      row.fired = sums.timers[index].fired
      row.points = points
      rows.append((key?.value, row))
    }
    return rows
  }

  private func splitPoints(_ row: borrowing StateSplit.TimerRow) -> SplitResults.Points {
    let (skippedBy, causes) = (row.skippedBy, row.causes)
    var points = SplitResults.Points()
    points.skipped = skippedBy.saturatedSum
    points.withdrawn = row.withdrawn
    points.pending = row.pending
    points.due = [row.fired, points.skipped, row.withdrawn, row.pending].saturatedSum
    points.latenessNs = distribution(row.lateness)
    for cause in Cause.allCases {
      points.ledgerNs[cause] = ns(causes.length(cause))
      points.skippedBy[cause] = skippedBy[cause.rawValue]
    }
    return points
  }

  private func splitCallouts(_ sums: StateSplit) -> [Placed<SplitResults.Callout>] {
    var rows: [Placed<SplitResults.Callout>] = []
    for index in 0..<sums.callouts.count {
      let key = sums.callouts[index].key
      var row = SplitResults.Callout()
      row.state = ShownName.of(sums.name)
      row.value = text(key?.value, sums)
      row.kind = key.map { names.calloutKind(EventKind($0.kind)) } ?? Remainder.rows
      row.name = key.map { names.callout(EventKind($0.kind), StringID($0.name)) } ?? Remainder.rows
      row.thread = key?.thread ?? 0
      row.count = sums.callouts[index].count
      row.timeNs = ns(sums.callouts[index].time)
      row.longestNs = ns(sums.callouts[index].longest)
      rows.append((key?.value, row))
    }
    return rows
  }
}

extension SplitResults.Points {
  /// Returns the points of both.
  fileprivate func adding(_ other: SplitResults.Points) -> SplitResults.Points {
    with(self) { it in
      it.due = due.saturated(adding: other.due)
      it.skipped = skipped.saturated(adding: other.skipped)
      it.withdrawn = withdrawn.saturated(adding: other.withdrawn)
      it.pending = pending.saturated(adding: other.pending)
      it.latenessNs = latenessNs.merging(other.latenessNs)
      it.ledgerNs = ledgerNs.merging(other.ledgerNs) { $0.saturated(adding: $1) }
      it.skippedBy = skippedBy.merging(other.skippedBy) { $0.saturated(adding: $1) }
    }
  }
}
