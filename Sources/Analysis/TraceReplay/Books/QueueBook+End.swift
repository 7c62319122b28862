import TraceFormat

/// Finds what waits, and the tasks that exist, at the end of the span.
extension QueueBook {
  /// Returns the slices that ran at the end of the span on the queues of a row, for a pool also those of actors.
  package func slicesAtEnd(ofRow row: Int) -> [OpenSlice] {
    slicesAtEnd.filter { slice in
      guard let state = tables[0].queues.row(slice.queue) else { return false }
      if Int(state.pointee.row) == row { return slice.left == .never }
      guard state.pointee.kind == .actor, let pool = tables[0].queues.row(tables[0].pool) else {
        return false
      }
      return Int(pool.pointee.row) == row
    }
  }

  private struct WaitingKey: Hashable {
    var queue: ObjectID
    var name: StringID
  }

  func findWaiting(_ end: Moment) {
    var places: [WaitingKey: Int] = [:]
    tables[0].works.forEach { row in
      guard row.pointee.since < end, let state = tables[0].queues.row(row.pointee.queue) else { return }
      let index = Int(state.pointee.row)
      rows[index].waitingAtEnd &+= 1
      rows[index].oldestWait = min(rows[index].oldestWait, row.pointee.since)
      let waited = end.since(objects.since(row.pointee.since))
      if !tables[0].isBlind { rows[index].openWaits.record(waited) }
      // The queue still gets on with its work.
      guard isStuck(state, since: row.pointee.since, at: end) else { return }
      let key = WaitingKey(queue: row.pointee.queue, name: row.pointee.name)
      if let at = places[key] {
        waiting[at].count &+= 1
        guard waited > waiting[at].waited else { return }
        waiting[at].since = row.pointee.since
        waiting[at].waited = waited
      } else if waiting.count < AnalysisLimits.unservedRows {
        places[key] = waiting.count
        waiting.append(
          FoundWaitingWork(
            queue: key.queue, name: key.name, count: 1, since: row.pointee.since, waited: waited,
            running: state.pointee.running))
      } else {
        waitingOmitted &+= 1
      }
    }
    let behind = Dictionary(grouping: slicesAtEnd.filter { $0.left == .never }, by: \.queue)
    for at in waiting.indices {
      let slices = behind[waiting[at].queue] ?? []
      if slices.count == 1 { waiting[at].behind = slices[0] }
    }
    waiting.sort { ($1.waited, $0.since, $0.name) < ($0.waited, $1.since, $1.name) }
  }

  func findTasks(_ end: Moment) {
    tables[0].works.forEach { address in
      let row = address.pointee
      guard row.kind == WorkKind.task.rawValue, row.since == .never || row.since < end else { return }
      let since =
        row.runs ? tables[0].open[Int(row.slice)].begin : row.since != .never ? row.since : row.lastEnd
      tasks.append(
        FoundTask(
          name: row.name, site: row.site, parent: row.parent, object: row.object, created: row.created,
          slices: row.slices, ran: row.ran, waited: row.waited,
          state: row.runs ? .running : row.since != .never ? .queued : .suspended, since: since,
          stayed: end.since(objects.since(since)), queue: row.queue))
      if tasks.count >= 2 * AnalysisLimits.taskRows { cutTasks() }
    }
    cutTasks()
  }

  private func cutTasks() {
    tasks.sort { ($1.stayed, $0.object.rawValue) < ($0.stayed, $1.object.rawValue) }
    let omitted = max(0, tasks.count - AnalysisLimits.taskRows)
    tasksOmitted &+= UInt64(omitted)
    tasks.removeLast(omitted)
  }
}
