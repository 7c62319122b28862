import HeapModule
import TraceFormat

/// The recorder's evidence that the process may not have run.
package final class SuspensionEvidence {
  /// A span in which the process may have been suspended.
  package final class Watch {
    var sign: SuspensionSign
    var from: Moment
    /// `.never`: the program was stopped, and the recording does not say when it continued.
    var to: Moment
    /// The minimum time for which the process was suspended. For a stop it is zero: the silence gives the length.
    var length: Length
    /// The silence that proves the suspension: nine tenths of `length`, because the beat itself may be delayed.
    var proof: Length { length &- length / 10 }

    init(sign: SuspensionSign, from: Moment, to: Moment, length: Length) {
      self.sign = sign
      self.from = from
      self.to = to
      self.length = length
    }
  }

  /// Sorted by start. Among watches with the same start, the one that was added last comes first.
  private struct Waiting: Comparable {
    let watch: Watch
    let number: Int

    static func < (a: Waiting, b: Waiting) -> Bool { (a.watch.from, b.number) < (b.watch.from, a.number) }
    static func == (a: Waiting, b: Waiting) -> Bool { a.number == b.number }
  }

  /// Spans that have not been watched yet.
  private var waiting = Heap<Waiting>()
  /// The number of spans added so far.
  private var count = 0
  private var openStop: Watch?
  private let scale: TimeScale
  /// The number of pieces of evidence beyond the limit, which are not used.
  package private(set) var refused: UInt64 = 0
  /// Late beats while the program ran: the machine was busy.
  private var lateWhileRunning: [Moment] = []
  /// Times when the system slept and the trace's clock stood still.
  private var sleptOffClock: [(at: Moment, ns: UInt64)] = []

  /// The maximum time between two beats.
  private let heartbeat: Length
  /// The same for a recorder that does not state it.
  private static let assumedHeartbeatNs: UInt64 = 100_000_000

  init(_ reader: TraceReader, _ scale: TimeScale) {
    self.scale = scale
    heartbeat = scale.length(ns: min(reader.heartbeatNs ?? SuspensionEvidence.assumedHeartbeatNs, 1 << 50))
    var points = reader.syncPoints
    let areInOrder = points.indices.dropFirst().allSatisfy { points[$0 - 1].time <= points[$0].time }
    if !areInOrder { points.sort { $0.time < $1.time } }
    for at in points.indices.dropFirst() { compare(points[at - 1], points[at]) }
  }

  private let kinds = EventTable.definitions.filter { $0.role == .evidence }.map(\.kind)

  func isEvidence(_ kind: EventKind) -> Bool { EventTable.role(of: kind.rawValue) == .evidence }

  /// The boot-time clock advances while the system sleeps; the monotonic clock does not.
  private func compare(_ a: SyncPoint, _ b: SyncPoint) {
    let booted = b.boottimeNs &- a.boottimeNs
    let ran = b.monotonicNs &- a.monotonicNs
    guard b.boottimeNs > a.boottimeNs, b.monotonicNs >= a.monotonicNs, booted > ran,
      booted - ran >= SuspensionSign.lateBeatNs
    else { return }
    let slept = booted - ran
    if scale.ns(Length(b.time &- a.time)) >= ran + slept / 2 {
      insert(
        Watch(sign: .systemSleep, from: Moment(a.time), to: Moment(b.time), length: scale.length(ns: slept)))
    } else {
      sleptOffClock.append((Moment(b.time), slept))
    }
  }

  /// Takes the evidence out of a block. O(1) for a block without evidence.
  func add(_ events: DecodedEvents) {
    guard kinds.contains(where: { events.hasArguments(kind: $0.rawValue) }) else { return }
    let columns = EventColumns(events)
    var beats = 0
    for i in 0..<events.count {
      switch columns.kind(i) {
      case .heartbeat:
        let kind = EventKind.heartbeat.rawValue
        let late = events.argument(EventKind.Heartbeat.lateNs, kind: kind, ordinal: beats) ?? 0
        let ran = events.argument(EventKind.Heartbeat.cpuNs, kind: kind, ordinal: beats)
        beats += 1
        beat(at: columns.time(i), lateNs: late, cpuNs: ran)
      case .processStop:
        guard openStop == nil else { break }
        openStop = insert(Watch(sign: .stopped, from: columns.time(i), to: .never, length: .zero))
      case .processContinue:
        guard let open = openStop else { break }
        open.to = max(columns.time(i), open.from)
        openStop = nil
      default: break
      }
    }
  }

  private func beat(at time: Moment, lateNs: UInt64, cpuNs: UInt64?) {
    guard lateNs >= SuspensionSign.lateBeatNs else { return }
    let late = min(scale.length(ns: lateNs), time &- .origin)
    if let cpuNs, cpuNs > lateNs / 4 {
      if lateWhileRunning.count < AnalysisLimits.suspensionEvidence { lateWhileRunning.append(time) }
      return
    }
    // The suspension began after the previous beat, which was on time.
    let from = time.earlier(by: late &+ heartbeat)
    insert(Watch(sign: .lateBeat, from: from, to: time, length: late))
  }

  @discardableResult
  private func insert(_ watch: Watch) -> Watch? {
    guard waiting.count < AnalysisLimits.suspensionEvidence, count < AnalysisLimits.suspensions else {
      refuse()
      return nil
    }
    waiting.insert(Waiting(watch: watch, number: count))
    count += 1
    return watch
  }

  /// Counts a piece of evidence that is not used.
  func refuse() { refused &+= 1 }

  package func lateBeatsWhileRunning(from: Moment, to: Moment) -> Int {
    lateWhileRunning.count { $0 >= from && $0 <= to }
  }

  package func sleptOffClockNs(from: Moment, to: Moment) -> UInt64 {
    sleptOffClock.filter { $0.at > from && $0.at <= to }.map(\.ns).saturatedSum
  }

  /// When the next span begins.
  var next: Moment { waiting.min?.watch.from ?? .never }

  /// Removes and returns the spans that begin up to `time`.
  func take(until time: Moment) -> [Watch] {
    var taken: [Watch] = []
    while let next = waiting.min, next.watch.from <= time { taken.append(waiting.removeMin().watch) }
    return taken
  }
}

/// Decides during the replay when the process was suspended. The evidence gives a span that contains a suspension, and
/// the silence of all threads shows where it lies in that span.
package final class Suspensions {
  package struct Found: HasExtent {
    package var start: Moment
    package var end: Moment
    package var sign: SuspensionSign

    package var length: Length { end &- start }
    package var extent: (length: UInt64, start: UInt64, lane: Int) { (length.rawValue, start.rawValue, 0) }
  }

  enum Silence {
    case suspended(from: Moment, to: Moment)
    /// The recorder was late, but the program showed signs of life. Nothing is subtracted.
    case uncertain
  }

  package let evidence: SuspensionEvidence
  private var watched: [SuspensionEvidence.Watch] = []
  private var found = Longest<Found>()
  package private(set) var total: Length = .zero
  package private(set) var uncertain = 0
  private var lastEnd: Moment = .origin
  /// The start of the analyzed span. Suspensions before it do not count.
  private var spanStart: Moment = .origin

  /// An event within this time after a stop is taken to have happened before the stop, stamped by another processor.
  private let graceAfterStop: Length

  init(_ evidence: SuspensionEvidence, _ scale: TimeScale) {
    self.evidence = evidence
    graceAfterStop = scale.length(ns: 2_000_000)
  }

  var isWatching: Bool { !watched.isEmpty }

  /// When the next watch begins.
  var nextWatch: Moment { evidence.next }

  /// Begins to watch the spans that begin up to `time`. Call it after all events before `time`. Stops come first: they
  /// give the start of a suspension, whereas a beat gives only its minimum length.
  func watch(from time: Moment) {
    for watch in evidence.take(until: time) {
      // Each event checks all of them.
      guard watched.count < AnalysisLimits.watchedAtOnce else {
        evidence.refuse()
        continue
      }
      watched.insert(
        watch, at: watch.sign == .stopped ? watched.prefix { $0.sign == .stopped }.count : watched.count)
    }
  }

  /// The end of a silence: an event of the program, an event of the recorder, or the end of the trace.
  enum Ending { case sign, none, trace }

  /// Judges a silence of the program from `from` to `to`. The caller repeats the call until it returns nil.
  func silence(from: Moment, to: Moment, _ ending: Ending) -> Silence? {
    watch(from: to)
    for (i, watch) in watched.enumerated() {
      let begin = max(from, watch.from)
      let end = min(to, watch.to)
      let silent = end.since(begin)
      let isOver = to >= watch.to || ending == .trace
      guard ending == .sign || isOver else { continue }
      let isCut = ending == .trace && watch.to > to
      switch watch.sign {
      case .stopped:
        // The stop ends with the first sign of life, which may come before the parent process learns of it.
        if !isOver, silent < graceAfterStop { continue }
        watched.remove(at: i)
        return silent > .zero ? note(begin, end, watch.sign) : silence(from: from, to: to, ending)
      case .lateBeat where isCut, .systemSleep where isCut:
        // The span ends before the evidence does: the suspension lies at its end and continues beyond it.
        watched.remove(at: i)
        guard watch.to.since(from) >= watch.proof else {
          uncertain += 1
          return .uncertain
        }
        let began = max(from, watch.to.earlier(by: watch.length))
        return began < to ? note(began, to, watch.sign) : silence(from: from, to: to, ending)
      case .lateBeat, .systemSleep:
        if silent >= watch.proof {
          watched.remove(at: i)
          return note(end &- min(silent, watch.length), end, watch.sign)
        }
        if isOver {
          watched.remove(at: i)
          // Another piece of evidence may have reported the same suspension.
          if watch.from >= lastEnd || watch.to > lastEnd &+ watch.length / 10 {
            uncertain += 1; return .uncertain
          }
          return silence(from: from, to: to, ending)
        }
      }
    }
    return nil
  }

  private func note(_ from: Moment, _ to: Moment, _ sign: SuspensionSign) -> Silence {
    lastEnd = max(lastEnd, to)
    let from = max(from, spanStart)
    let to = max(to, spanStart)
    guard to > from else { return .suspended(from: from, to: to) }
    total &+= to &- from
    found.add(Found(start: from, end: to, sign: sign))
    return .suspended(from: from, to: to)
  }

  package var longest: Longest<Found> {
    var longest = found
    longest.finish()
    return longest
  }

  func beginWindow(_ time: Moment) {
    spanStart = time
    found = Longest()
    total = .zero
    uncertain = 0
  }
}
