import TraceFacts
import TraceFormat

/// Sends to the sink how much work waits, and tells where slices run.
extension QueueBook {
  /// Sends facts to a sink that wants begins from now on, first the numbers of what waits.
  func begin(sending sink: SinkLink?, at time: Moment) {
    tables[0].sink = sink.flatMap { $0.wantsBegins ? $0 : nil }
    tables[0].queues.forEach { if $0.pointee.waiting > 0 { report($0, at: time) } }
  }

  @inline(__always)
  func report(_ state: RowAddress<QueueState>, at time: Moment) {
    if let sink = tables[0].sink { report(state, at: time, to: sink) }
  }

  @inline(never)
  private func report(_ state: RowAddress<QueueState>, at time: Moment, to sink: SinkLink) {
    let fact = WaitingFact(
      queue: state.pointee.object.rawValue, queueName: objects.name(of: state.pointee.object).rawValue,
      count: state.pointee.waiting, time: time.rawValue)
    sink.report { $0.waiting(fact) }
  }

  /// Returns the queue that runs the work's slice on a lane; nil if it is not known.
  func serving(_ work: ObjectID, lane: Int) -> ServingQueue? {
    guard let row = tables[0].works.row(work) else { return nil }
    let place = Int(place(row, lane))
    guard place >= 0, tables[0].open[place].queue != .none else { return nil }
    let queue = tables[0].open[place].queue
    return ServingQueue(
      object: queue.rawValue, name: objects.name(of: queue).rawValue,
      waited: tables[0].open[place].waited.rawValue)
  }
}
