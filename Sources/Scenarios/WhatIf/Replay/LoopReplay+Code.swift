import RunLoopModel
import TraceFormat

/// Replays the program's code: the events of the thread that the loop did not make itself.
extension LoopReplay {
  /// Plays the events of a range, which begins `start` after the origin (in recorded time units), and lets the time
  /// between them pass. `pace`: how fast; nil = as recorded.
  func play(
    _ range: Range<Int>, from start: UInt64, _ instance: Instance, _ pace: UnsafeMutablePointer<Pace>?
  ) {
    var last = start, at = range.lowerBound
    while at < range.upperBound, !clock.isStopped {
      let event = events[at]
      pass(last, event.time, pace)
      last = event.time
      if !history.implied.isEmpty, history.implied.contains(Int32(at)) {
        at += 1
        continue
      }
      switch event.kind {
      case .runBegin:
        if let series = history.series[Int32(at)] {
          play(series, instance)
          at = Int(series.end)
        } else {
          runLoop(at, instance)
          guard let end = event.end else { return endOpen() }
          at = end
        }
        last = events[at].time
      case .observerBegin:
        if plan[event.life]?.isRemoved != true {
          callout(.observerBegin, event.object, event.life, repeating: Int32(at), instance)
        }
        guard let end = event.end else { return endOpen() }
        at = end
        last = events[at].time
      default: react(event, at, instance)
      }
      at += 1
    }
  }

  /// Lets the time between two recorded moments pass.
  private func pass(_ from: UInt64, _ to: UInt64, _ pace: UnsafeMutablePointer<Pace>?) {
    let ns = recordedNs(from, to)
    if let pace { elapse(ns: pace.pointee.next(ns)) } else if ns > 0 { elapse(ns: ns) }
    if ns < (to - from) * recording.unitNs { suspendIfDue() }
  }

  /// Plays a loop of the program around equal runs. It ends at its deadline, else when it ended in the recording.
  private func play(_ series: LoopHistory.RunSeries, _ instance: Instance) {
    var number = 0
    let deadline = series.deadlineNs.map { LoopReplay.startNs &+ $0 }
    let end = deadline ?? ns(events[Int(series.end)].time)
    while !clock.isStopped, number == 0 || clock.now < end {
      let at = Int(series.begins[Swift.min(number, series.begins.count - 1)])
      let isInTime = number < series.begins.count && clock.now == ns(events[at].time)
      runLoop(at, instance, timeoutNs: isInTime ? nil : deadline.map { $0 - Swift.min($0, clock.now) })
      number += 1
      // Runs of an empty mode take no time.
      clock.use(1)
      guard clock.now < end else { return }
      let next = Swift.min(number, series.begins.count - 1)
      pass(
        events[Int(events[Int(series.begins[next - 1])].endAt)].time, events[Int(series.begins[next])].time,
        nil)
    }
  }

  /// Ends the replay where the recording ends inside a run or callout: later events are not known.
  private func endOpen() {
    guard !clock.isStopped else { return }
    while !clock.isStopped, clock.advanceToNext() {}
    clock.stop()
  }

  /// Plays what followed a step of the loop, and lets its time pass.
  func segment(_ kind: EventKind) {
    guard let (place, segment, isOwn) = nextSegment(after: kind) else { return }
    nextSegment[place] += 1
    let start = Int(segment.start), end = Int(segment.end)
    let isPlain = end == start + 1
    if isPlain, overheads == .median { return elapse(ns: mediansNs[place]) }
    let from = events[start].time
    guard !isPlain else {
      if end < events.count { pass(from, events[end].time, nil) }
      return
    }
    play((start + 1)..<end, from: from, isOwn ? own : Instance(isOwn: false), nil)
    guard end < events.count, !clock.isStopped else { return }
    pass(lastMoment(before: end, after: start), events[end].time, nil)
  }

  /// Lets the time until the next step pass, now or when the next step comes. The loop checks its time limit in between.
  /// Where the recorded run ended, the limit passed before that check.
  func calloutEnded(_ kind: EventKind) {
    if let next = nextSegment(after: kind), endsRun(next.segment) { segment(kind) } else { pending = kind }
  }

  private func endsRun(_ segment: LoopHistory.Segment) -> Bool {
    let end = Int(segment.end)
    return end == segment.start + 1 && end < events.count
      && (events[end].kind == .exitLow || events[end].kind == .exitHigh)
  }

  /// The segment to play after the next step of a kind, its place in `LoopHistory.segments`, and whether it is played
  /// for the first time; nil = none was recorded.
  private func nextSegment(after kind: EventKind) -> (place: Int, segment: LoopHistory.Segment, isOwn: Bool)?
  {
    let place = Int(history.segmentsOfStep[LoopHistory.stepIndex(kind, mode: mode)])
    guard place >= 0 else { return nil }
    let number = nextSegment[place], count = history.segments[place].count
    return (place, history.segments[place][number < count ? number : number % count], number < count)
  }

  /// The time up to which a range of events was played.
  private func lastMoment(before end: Int, after start: Int) -> UInt64 { events[max(start, end - 1)].time }

  // MARK: Callouts

  /// Makes a callout: its begin, its work and reactions, its end. `repeating`: the begin of the recorded callout; nil =
  /// there is none, and it takes no time.
  func callout(
    _ kind: EventKind, _ object: UInt32, _ life: Int32, repeating begin: Int32?, _ instance: Instance
  ) {
    emit(kind, object, life: life, callout: instance.isOwn ? begin ?? -1 : -1)
    if let begin { work(begin, life, instance) } else { notes.unknownLengths += 1 }
    emit(kind.end, object, life: life)
  }

  private func work(_ begin: Int32, _ life: Int32, _ instance: Instance) {
    let first = Int(begin)
    let end = events[first].end ?? events.count
    let range = (first + 1)..<end
    guard let change = plan[life] else {
      play(range, from: events[first].time, instance, nil)
      guard events[first].end != nil else { return endOpen() }
      return pass(lastMoment(before: end, after: first), events[end].time, nil)
    }
    let recorded = ownNs(first)
    let length = change.lengthNs(of: recorded)
    if let hopNs = change.hopNs { return hop(range, from: events[first].time, hopNs, instance) }
    var pace = Pace(recordedNs: recorded, newNs: length)
    if let splitNs = change.splitNs, length > splitNs {
      return split(range, from: events[first].time, &pace, splitNs, instance)
    }
    play(range, from: events[first].time, instance, &pace)
    elapse(ns: pace.restNs)
  }

  /// The recorded time of a callout outside of runs and observers inside it, in nanoseconds.
  func ownNs(_ begin: Int) -> UInt64 {
    let end = events[begin].end ?? events.count
    var sum: UInt64 = 0, last = events[begin].time, at = begin + 1
    while at < end {
      sum += recordedNs(last, events[at].time)
      if events[at].kind == .runBegin || events[at].kind == .observerBegin, let end = events[at].end {
        at = end
      }
      last = events[at].time
      at += 1
    }
    return sum + recordedNs(last, end < events.count ? events[end].time : recording.reader.lastTime)
  }

  // MARK: Work in another place

  /// Hands the work of a callout to another thread. Its reactions happen there, after the hop and at their offsets.
  private func hop(_ range: Range<Int>, from start: UInt64, _ hopNs: UInt64, _ instance: Instance) {
    let begin = clock.now
    for at in range {
      let event = events[at]
      clock.schedule(at: begin + hopNs + recordedNs(start, event.time)) { [unowned self] in
        react(event, at, instance, isElsewhere: true)
      }
    }
    elapse(ns: hopNs)
  }

  /// Plays the first part of a callout's work, and queues the rest as blocks for the loop's common modes.
  private func split(
    _ range: Range<Int>, from start: UInt64, _ pace: inout Pace, _ splitNs: UInt64, _ instance: Instance
  ) {
    // The reactions with their new offsets, and the end of the work.
    var moments: [(ns: UInt64, at: Int?)] = []
    var offset: UInt64 = 0, last = start
    for at in range {
      offset += pace.next(recordedNs(last, events[at].time))
      last = events[at].time
      moments.append((offset, at))
    }
    moments.append((pace.newNs, nil))
    part(moments[...], from: 0, splitNs, instance)
  }

  /// Plays the moments that lie in one part, then queues the next one.
  private func part(
    _ moments: ArraySlice<(ns: UInt64, at: Int?)>, from start: UInt64, _ splitNs: UInt64,
    _ instance: Instance
  ) {
    var rest = moments, done = start
    let end = start + splitNs
    while let moment = rest.first, moment.ns <= end {
      elapse(ns: moment.ns - done)
      done = moment.ns
      if let at = moment.at { react(events[at], at, instance) }
      rest = rest.dropFirst()
    }
    guard !rest.isEmpty, !clock.isStopped else { return }
    elapse(ns: end - done)
    let object = newObject()
    let left = rest
    queue(object) { [unowned self] in
      emit(.blockBegin, object)
      part(left, from: end, splitNs, instance)
      emit(.blockEnd, object)
      calloutEnded(.blockEnd)
    }
  }
}
