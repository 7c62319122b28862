import TraceAnalysis
import TraceFacts
import TraceReplay
import TraceFormat

/// Collects the data for the HTML report's timeline while an analysis reads the trace. Set it as
/// `AnalysisOptions.sink`. Memory does not grow with the trace.
///
/// Every thread, queue and timer class has sums in equal bins over the whole span. All individual marks are kept while
/// there are few. For a longer trace, those at its beginning and end and around the worst moments are kept.
///
/// It is called for nearly every event, so its state is behind a pointer, without access checks and reference
/// counting.
package final class TimelineBuilder: FactSink {
  /// The maximum number of threads, names of queues and timer classes with their own sums and marks. Further threads
  /// and queues are counted.
  static let threadLimit = 16
  static let queueLimit = 16
  static let timerLimit = 257

  let from: UInt64
  let to: UInt64
  let limits: TimelineLimits
  private let lanes: UnsafeMutablePointer<TimelineLanes>

  var threads: UnsafeMutableBufferPointer<ThreadLane> { lanes.pointee.threads }
  var timers: UnsafeMutableBufferPointer<TimerLane> { lanes.pointee.timers }
  var queues: UnsafeMutableBufferPointer<QueueLane> { lanes.pointee.queues }
  var threadsLeftOut: Int { lanes.pointee.threadsLeftOut.count }
  var frames: [Int: FrameLane] { lanes.pointee.frames }
  var states: StateChanges { lanes.pointee.states }
  var queuesLeftOut: Int { lanes.pointee.queuesLeftOut }

  /// `from` and `to` must be those of the analysis's options.
  package convenience init(_ reader: TraceReader, from: UInt64? = nil, to: UInt64? = nil) {
    self.init(reader, from: from, to: to, limits: TimelineLimits())
  }

  init(_ reader: TraceReader, from: UInt64? = nil, to: UInt64? = nil, limits: TimelineLimits) {
    self.limits = limits
    let end = min(to ?? .max, reader.lastTime)
    self.from = max(from ?? 0, min(reader.beginning, end))
    self.to = max(end, self.from)
    lanes = .allocate(capacity: 1)
    lanes.initialize(to: TimelineLanes(from: self.from, to: self.to, limits))
  }

  deinit {
    lanes.deinitialize(count: 1)
    lanes.deallocate()
  }

  package func pass(_ pass: PassFact) { lanes.pointee.pass(pass) }
  package func phase(_ phase: PhaseFact) { lanes.pointee.phase(phase) }
  package func callout(_ callout: CalloutFact) { lanes.pointee.callout(callout) }
  package func points(_ points: PointFact) { lanes.pointee.points(points) }
  package func frame(_ frame: FrameFact) { lanes.pointee.frame(frame) }
  package func state(_ state: StateFact) { lanes.pointee.states.add(state) }
  package func passes(_ passes: EqualPassFacts) {
    if !lanes.pointee.passes(passes) { passes.report(to: self) }
  }

  func finish() {
    for place in 0..<threads.count { threads[place].finish(at: to) }
    for place in 0..<queues.count { queues[place].lane.finish(at: to) }
  }
}
