import TraceAnalysis
import TraceFormat

/// Collects what the HTML report's time line shows, while an analysis goes over the trace: give it to
/// `AnalysisOptions.observer`. Memory does not grow with the trace.
///
/// Every thread and timer class has sums in equal bins over the whole span. Single marks are kept of everything as
/// long as there are few; of a longer trace, those of its beginning and end and around what was worst.
public final class TimelineBuilder: AnalysisObserver {
  /// Marks in hand before lanes keep windows only, and in a report.
  static let markLimit = 150_000
  /// Threads and timer classes with sums and marks of their own; further ones are counted.
  static let threadLimit = 16
  static let timerLimit = 257

  let from: UInt64
  let to: UInt64
  private(set) var threads: [ThreadLane] = []
  private(set) var timers: [TimerLane] = []
  private(set) var threadsLeftOut: Set<UInt32> = []
  private(set) var timersLeftOut: Set<Int> = []
  private var threadOf: [UInt32: ThreadLane] = [:]
  private var timerOf: [Int: TimerLane] = [:]
  private var current: ThreadLane?
  private var currentTimer: TimerLane?
  private var marks = 0

  /// `from` and `to`: as in the analysis's options.
  public init(_ reader: TraceReader, from: UInt64? = nil, to: UInt64? = nil) {
    let end = min(to ?? .max, reader.lastTime)
    self.from = max(from ?? 0, min(reader.beginning, end))
    self.to = max(end, self.from)
  }

  public func pass(_ pass: PassRecord) {
    guard let lane = lane(pass.thread) else { return }
    lane.pass(pass)
    counted()
  }

  public func phase(_ phase: PhaseRecord) {
    guard let lane = lane(phase.thread) else { return }
    lane.phase(phase)
    counted()
  }

  public func callout(_ callout: CalloutRecord) {
    guard let lane = lane(callout.thread) else { return }
    lane.callout(callout)
    counted()
  }

  public func points(_ points: PointRecord) {
    guard let lane = timer(points.timer) else { return }
    let badness = lane.add(points)
    // What the loop did meanwhile is worth its detail, too.
    current?.detail.mark(asBadAs: badness)
    counted()
  }

  func finish() {
    for lane in threads { lane.finish(at: to) }
  }

  private func counted() {
    marks += 1
    guard marks == Self.markLimit else { return }
    for lane in threads { lane.detail.forgetWhole() }
    for lane in timers { lane.detail.forgetWhole() }
  }

  @inline(__always)
  private func lane(_ thread: UInt32) -> ThreadLane? {
    if let current, current.thread == thread { return current }
    return change(to: thread)
  }

  private func change(to thread: UInt32) -> ThreadLane? {
    if threadOf[thread] == nil {
      guard threads.count < Self.threadLimit else {
        // A set of ids: a trace has at most as many threads as its header can number.
        threadsLeftOut.insert(thread)
        return nil
      }
      let lane = ThreadLane(thread: thread, from: from, to: to)
      if marks >= Self.markLimit { lane.detail.forgetWhole() }
      threadOf[thread] = lane
      threads.append(lane)
    }
    current = threadOf[thread]
    return current
  }

  private func timer(_ id: Int) -> TimerLane? {
    if let currentTimer, currentTimer.timer == id { return currentTimer }
    if let lane = timerOf[id] {
      currentTimer = lane
      return lane
    }
    guard timers.count < Self.timerLimit else {
      timersLeftOut.insert(id)
      return nil
    }
    let lane = TimerLane(timer: id, from: from, to: to)
    if marks >= Self.markLimit { lane.detail.forgetWhole() }
    timerOf[id] = lane
    timers.append(lane)
    return lane
  }
}
