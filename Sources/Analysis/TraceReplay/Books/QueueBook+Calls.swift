import TraceFormat

/// Threads that wait for their turn on a queue.
extension QueueBook {
  func beginCall(_ queue: ObjectID, holder: UInt64, lane: Int, at time: Moment) {
    openCalls[lane] = FoundQueueCall(lane: lane, queue: queue, holder: holder, start: time, length: .zero)
  }

  func endCall(_ queue: ObjectID, lane: Int, at time: Moment) {
    guard var call = openCalls[lane], call.queue == queue else { return }
    openCalls[lane] = nil
    let begin = min(objects.since(call.start), time)
    guard let state = tables[0].queues.row(queue) else { return }
    rows[Int(state.pointee.row)].calls.record(begin, to: time)
    state.pointee.lastBegin = time
    call.length = time &- begin
    keep(call, of: state, at: time)
  }

  /// Keeps the longest call of a row. A stuck one counts more than all others.
  private func keep(_ call: FoundQueueCall, of queue: RowAddress<QueueState>, at time: Moment) {
    guard call.length >= longWait else { return }
    noteHolder(of: queue, objects.since(call.start), at: time)
    let index = Int(queue.pointee.row)
    if let kept = rows[index].longestCall,
      (kept.isStuck ? 1 : 0, kept.length) >= (call.isStuck ? 1 : 0, call.length)
    {
      return
    }
    rows[index].longestCall = call
  }

  func finishCalls(_ end: Moment) {
    for call in openCalls.values.sorted(by: { $0.lane < $1.lane }) {
      var call = call
      call.length = end.since(objects.since(call.start))
      callsAtEnd.append(call)
      guard !tables[0].isBlind, let state = tables[0].queues.row(call.queue) else { continue }
      rows[Int(state.pointee.row)].openCalls.record(call.length)
      call.isStuck = isStuck(state, since: call.start, at: end)
      keep(call, of: state, at: end)
    }
  }

  /// Whether a queue has begun nothing since `moment`, or nothing for a while.
  func isStuck(_ queue: RowAddress<QueueState>, since moment: Moment, at end: Moment) -> Bool {
    queue.pointee.lastBegin <= moment || end.since(queue.pointee.lastBegin) >= pause
  }
}
