import TraceFacts
import TraceFormat

/// The sums of a span by the values of one state of the program.
///
/// Each fact counts once, at the value that the state had when the fact began. So the rows of all values add up to the
/// rows of the whole span, and no time is divided by a guess.
package final class StateSplit: FactSink {
  package struct Value {
    /// The string id of the value, 0 = the state has none. Nil = all values beyond the limit.
    package let text: UInt32?
    /// How often the state took the value, or had it when the span began.
    package fileprivate(set) var count: UInt64 = 0
    fileprivate var passed = Length.zero
    fileprivate var suspended = Length.zero

    /// Without suspension.
    package var time: Length { passed.without(suspended) }
  }

  /// `value` is a place in `values`.
  package struct ModeKey: Hashable {
    package var value: Int
    package var thread: UInt32
    package var mode: UInt8
  }

  package struct TimerKey: Hashable {
    package var value: Int
    /// The id of the timer's class.
    package var timer: Int
  }

  package struct CalloutKey: Hashable {
    package var value: Int
    package var thread: UInt32
    /// The kind of its begin event.
    package var kind: UInt8
    /// String id, 0 = none.
    package var name: UInt32
  }

  package struct ModeRow: ~Copyable {
    /// Nil = all modes beyond the limit, as in the other rows.
    package let key: ModeKey?
    package fileprivate(set) var time = Length.zero
    package fileprivate(set) var waiting = Length.zero
    package fileprivate(set) var pass = DurationCounts()
    /// Long gaps and hangs.
    package fileprivate(set) var gaps: UInt64 = 0
    package fileprivate(set) var gapTime = Length.zero
    package fileprivate(set) var hangs: UInt64 = 0
    package fileprivate(set) var hangTime = Length.zero
    package fileprivate(set) var longestHang = Length.zero

    fileprivate init(key: ModeKey?) { self.key = key }
  }

  package struct TimerRow: ~Copyable {
    package let key: TimerKey?
    package fileprivate(set) var fired: UInt64 = 0
    package fileprivate(set) var withdrawn: UInt64 = 0
    package fileprivate(set) var pending: UInt64 = 0
    package fileprivate(set) var skippedBy = SIMD8<UInt64>()
    package fileprivate(set) var causes = CauseAmounts()
    package fileprivate(set) var lateness = DurationCounts()

    fileprivate init(key: TimerKey?) { self.key = key }
  }

  package struct FrameSumRow: ~Copyable {
    package let key: TimerKey?
    package fileprivate(set) var hitches: UInt64 = 0
    package fileprivate(set) var hitchNs: UInt64 = 0
    package fileprivate(set) var longestNs: UInt64 = 0
    /// The sum of the squares of the hitches, in square nanoseconds.
    package fileprivate(set) var squares = 0.0
    package fileprivate(set) var active = Length.zero
    package fileprivate(set) var counts = FrameCounts()

    fileprivate init(key: TimerKey?) { self.key = key }
  }

  package struct CalloutRow: ~Copyable {
    package let key: CalloutKey?
    package fileprivate(set) var count: UInt64 = 0
    /// Without suspension and nested runs.
    package fileprivate(set) var time = Length.zero
    package fileprivate(set) var longest = Length.zero

    fileprivate init(key: CalloutKey?) { self.key = key }
  }

  /// The name of the state.
  package let name: String
  /// The first one has all values beyond the limit.
  package private(set) var values = [Value(text: nil)]
  package let modes = Rows<ModeRow>(capacity: AnalysisLimits.splitRows + 1)
  package let timers = Rows<TimerRow>(capacity: AnalysisLimits.splitRows + 1)
  package let callouts = Rows<CalloutRow>(capacity: AnalysisLimits.splitRows + 1)
  package let frames = Rows<FrameSumRow>(capacity: AnalysisLimits.splitRows + 1)
  private var modeIndex = LimitedIndex<ModeKey>(limit: AnalysisLimits.splitRows)
  private var timerIndex = LimitedIndex<TimerKey>(limit: AnalysisLimits.splitRows)
  private var calloutIndex = LimitedIndex<CalloutKey>(limit: AnalysisLimits.splitRows)
  private var frameIndex = LimitedIndex<TimerKey>(limit: AnalysisLimits.splitRows)
  private let strings: [UInt32: String]
  private let scale: TimeScale
  private var placeOfText: [UInt32: Int] = [:]
  /// Since when the state has each of its values, in time order.
  private var changes: [(time: UInt64, value: Int)] = []
  /// The suspensions, the first ones up to a limit.
  private var suspensions: [SuspensionFact] = []
  /// The frame rows of hitches that may go on after the span, in nanoseconds.
  private var tails: [(row: Int, startNs: UInt64, endNs: UInt64)] = []
  /// The mode row that was used last.
  private var lastMode: (key: ModeKey, row: Int)?

  /// Splits a span that begins at `from`. `strings`: the trace's string table.
  package init(of name: String, _ strings: [UInt32: String], _ scale: TimeScale, from: Moment) {
    self.name = name
    self.strings = strings
    self.scale = scale
    changes = [(from.rawValue, place(of: 0))]
  }

  /// Adds the time of the last value, up to the end of the span, and cuts off what lies behind that.
  package func finish(_ end: Moment) {
    let endNs = scale.ns(end)
    for tail in tails {
      let beyond = tail.endNs &- min(max(tail.startNs, endNs), tail.endNs)
      let length = tail.endNs &- tail.startNs
      frames[tail.row].hitchNs &-= min(frames[tail.row].hitchNs, beyond)
      frames[tail.row].longestNs = max(frames[tail.row].longestNs, length &- beyond)
      frames[tail.row].squares += Self.square(length &- beyond) - Self.square(length)
    }
    let last = changes[changes.count - 1]
    values[last.value].passed &+= end.since(Moment(last.time))
  }

  // MARK: Values

  private func place(of text: UInt32) -> Int {
    if let known = placeOfText[text] { return known }
    guard placeOfText.count < AnalysisLimits.splitValues else { return 0 }
    placeOfText[text] = values.count
    values.append(Value(text: text))
    return values.count - 1
  }

  package func state(_ state: StateFact) {
    guard strings[state.name] == name, changes.count < AnalysisLimits.splitChanges else { return }
    let last = changes[changes.count - 1]
    let time = max(state.time, last.time)
    values[last.value].passed &+= Moment(time).since(Moment(last.time))
    // Later changes are not followed, so the time after the last one belongs to no value.
    let value = changes.count == AnalysisLimits.splitChanges - 1 ? 0 : place(of: state.value)
    values[value].count &+= 1
    if time == last.time {
      changes[changes.count - 1].value = value
    } else {
      changes.append((time, value))
    }
  }

  package func suspension(_ suspension: SuspensionFact) {
    let length = Moment(suspension.end).since(Moment(suspension.start))
    values[value(at: suspension.start)].suspended &+= length
    if suspensions.count < AnalysisLimits.splitChanges { suspensions.append(suspension) }
  }

  /// Returns the place of the first change after a time.
  private func change(after time: UInt64) -> Int {
    if time >= changes[changes.count - 1].time { return changes.count }
    var (low, high) = (0, changes.count - 1)
    while low < high {
      let middle = low + (high - low) / 2
      if changes[middle].time <= time { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Returns the value before a change; before the first one, the first value.
  private func value(before change: Int) -> Int { changes[max(change - 1, 0)].value }
  private func value(at time: UInt64) -> Int { value(before: change(after: time)) }

  // MARK: Time of loops

  private func row(_ time: UInt64, _ thread: UInt32, _ mode: UInt8) -> Int {
    let key = ModeKey(value: value(at: time), thread: thread, mode: mode)
    if let lastMode, lastMode.key == key { return lastMode.row }
    let row = modeIndex.row(of: key) { modes.append(ModeRow(key: $0)) }
    lastMode = (key, row)
    return row
  }

  package func phase(_ phase: PhaseFact) {
    let row = row(phase.start, phase.thread, phase.mode)
    let length = Moment(phase.end).since(Moment(phase.start))
    modes[row].time &+= length
    if phase.phase == .waiting { modes[row].waiting &+= length }
  }

  package func pass(_ pass: PassFact) {
    let row = row(pass.start, pass.thread, pass.mode)
    modes[row].pass.record(pass.phases.lengthInAll.without(pass.phases.length(Phase.waiting)))
  }

  package func longSpan(_ span: LongSpanFact) {
    let row = row(span.start, span.thread, span.mode)
    switch span.what {
    case .gap:
      modes[row].gaps &+= 1
      modes[row].gapTime &+= Length(span.length)
    case .busy where span.hang > 0:
      modes[row].hangs &+= 1
      modes[row].hangTime &+= Length(span.hang)
      modes[row].longestHang = max(modes[row].longestHang, Length(span.hang))
    case .busy: break
    }
  }

  package func callout(_ callout: CalloutFact) {
    let key = CalloutKey(
      value: value(at: callout.start), thread: callout.thread, kind: callout.kind, name: callout.name)
    let row = calloutIndex.row(of: key) { callouts.append(CalloutRow(key: $0)) }
    let time = Moment(callout.end).since(Moment(callout.start)).without(Length(callout.suspended))
      .without(Length(callout.nested))
    callouts[row].count &+= 1
    callouts[row].time &+= time
    callouts[row].longest = max(callouts[row].longest, time)
  }

  // MARK: Due points

  package func points(_ points: PointFact) {
    guard points.timer >= 0 else { return }
    let first = points.due ?? points.end ?? 0
    var change = change(after: first)
    guard points.count > 1, let last = points.lastDue, last > first else {
      return add(points, points.count, to: value(before: change))
    }
    // The skipped points are equally far apart. Those before a change belong to the value before it.
    var added: UInt64 = 0
    while added < points.count {
      var end = points.count
      if change < changes.count, changes[change].time <= last {
        end = Self.number(before: changes[change].time &- first, of: points.count, in: last &- first)
      }
      if end > added { add(points, end &- added, to: value(before: change)) }
      added = max(added, end)
      change += 1
    }
  }

  /// Returns how many of `count` equally distant points, the first at 0 and the last at `length`, lie before `time`.
  /// `count` is at least 2, `length` at least 1, and `time` at most `length`.
  private static func number(before time: UInt64, of count: UInt64, in length: UInt64) -> UInt64 {
    // The quotient is at most `count` - 1, because `time` is at most `length`.
    let (quotient, rest) = length.dividingFullWidth(time.multipliedFullWidth(by: count &- 1))
    return quotient &+ (rest > 0 ? 1 : 0)
  }

  private func add(_ points: PointFact, _ count: UInt64, to value: Int) {
    let row = timerIndex.row(of: TimerKey(value: value, timer: points.timer)) {
      timers.append(TimerRow(key: $0))
    }
    switch points.outcome {
    case .fired:
      timers[row].fired &+= count
      timers[row].causes &+= points.causes
      timers[row].lateness.record(Length(points.lateness))
    case .skipped: timers[row].skippedBy[(points.cause ?? .unknown).rawValue] &+= count
    case .withdrawn: timers[row].withdrawn &+= count
    case .pending: timers[row].pending &+= count
    }
  }

  // MARK: Frames

  private func frameRow(_ value: Int, _ timer: Int) -> Int {
    frameIndex.row(of: TimerKey(value: value, timer: timer)) { frames.append(FrameSumRow(key: $0)) }
  }

  private static func square(_ length: UInt64) -> Double { Double(length) * Double(length) }

  /// Counts a frame at the value that the state had at its due point.
  package func frame(_ frame: FrameFact) {
    let row = frameRow(value(at: frame.due), frame.timer)
    frames[row].counts.add(frame.outcome)
  }

  package func hitch(_ hitch: HitchFact) {
    let row = frameRow(value(at: scale.length(ns: hitch.startNs).rawValue), hitch.timer)
    let length = hitch.endNs &- min(hitch.startNs, hitch.endNs)
    frames[row].hitches &+= 1
    frames[row].hitchNs = frames[row].hitchNs.saturated(adding: length)
    frames[row].squares += Self.square(length)
    for tail in tails where tail.endNs <= hitch.startNs {
      frames[tail.row].longestNs = max(frames[tail.row].longestNs, tail.endNs &- tail.startNs)
    }
    tails.removeAll { $0.endNs <= hitch.startNs }
    tails.append((row, hitch.startNs, hitch.startNs &+ length))
  }

  /// Divides an active time where the state changes.
  package func frameTime(_ time: FrameTimeFact) {
    var start = time.start
    var change = change(after: start)
    while start < time.end {
      let end = change < changes.count ? min(changes[change].time, time.end) : time.end
      let row = frameRow(value(before: change), time.timer)
      frames[row].active &+= Moment(end).since(Moment(start))
      start = end
      change += 1
    }
    leaveOut(time)
  }

  /// Leaves the suspensions out of an active time. Those beyond the limit count at its beginning.
  private func leaveOut(_ time: FrameTimeFact) {
    var left = Length(time.suspended)
    for suspension in suspensions.reversed() {
      guard left > .zero, suspension.end > time.start else { break }
      let (start, end) = (max(suspension.start, time.start), min(suspension.end, time.end))
      guard end > start else { continue }
      let part = min(left, Length(end &- start))
      let row = frameRow(value(at: start), time.timer)
      frames[row].active = frames[row].active.without(part)
      left = left.without(part)
    }
    let row = frameRow(value(at: time.start), time.timer)
    frames[row].active = frames[row].active.without(left)
  }
}
