import TraceFacts
import TraceFormat

/// Queues other than the main queue: work that waits and runs, and threads that wait for their turn.
///
/// Events of different threads about one piece of work may come in any order within a time unit. A task may begin on one
/// thread before the end of its former slice is stored on another. O(1) per event.
package final class QueueBook {
  struct Tables: ~Copyable {
    var queues = RowsBySlot<QueueState>()
    var works = RowsBySlot<WorkRow>()
    var open: [OpenSlice] = []
    var backlogs: QueueBacklogs
    /// The pool of Swift tasks, and of those in actors: the first one. Others are for other priorities, and for sleeps.
    var pool = ObjectID.none
    /// Events were lost: from then on, slices may have begun and ended unseen.
    var isBlind = false
    /// The end of the last loss of events. A task that waits since before it may have run meanwhile.
    var lostUntil = Moment.origin
    /// Receives how much work waits.
    var sink: SinkLink?

    init(_ backlogs: QueueBacklogs) { self.backlogs = backlogs }
  }

  let objects: ObjectTable
  private let budget: WorkBudget
  /// Accessed by address, because every access to a class's variable is checked.
  let tables = Rows<Tables>(capacity: 1)
  package let rows = Rows<QueueRow>(capacity: AnalysisLimits.queueRows + 1)
  private var byKey = LimitedIndex<QueueRow.Key>(limit: AnalysisLimits.queueRows)
  private var late: [ObjectID: LateWaits] = [:]
  /// By lane.
  var openCalls: [Int: FoundQueueCall] = [:]
  let pause: Length
  /// The holders of queues are noted for waits of this length.
  let longWait: Length
  /// A queue that began work within this time is not stuck.
  private static let shortestPauseNs: UInt64 = 1_000_000_000
  package var foundBacklogs: Longest<FoundBacklog> { tables[0].backlogs.found }
  /// The slices and waits that were open at the end of the span, by lane.
  package private(set) var slicesAtEnd: [OpenSlice] = []
  package internal(set) var callsAtEnd: [FoundQueueCall] = []
  package internal(set) var tasks: [FoundTask] = []
  package internal(set) var waiting: [FoundWaitingWork] = []
  package internal(set) var waitingOmitted: UInt64 = 0
  package internal(set) var tasksOmitted: UInt64 = 0
  /// The number of tasks that the recording has events of.
  package private(set) var taskCount: UInt64 = 0

  init(objects: ObjectTable, budget: WorkBudget, _ scale: TimeScale) {
    self.objects = objects
    self.budget = budget
    pause = scale.length(atLeastNs: QueueBook.shortestPauseNs)
    longWait = scale.length(atLeastNs: BusyClass.briefUnresponsiveness.fromNs)
    tables.append(Tables(QueueBacklogs(shortest: longWait)))
  }

  /// Whether queues beyond the limit share the last row.
  package var isOverfull: Bool { byKey.isOverfull }

  // MARK: Queues

  func create(_ queue: ObjectID, name: StringID, kind: UInt64, width: UInt64, at time: Moment) {
    guard queue != .none else { return }
    let known = tables[0].queues.row(queue) ?? add(queue, row: -1)
    let row = row(
      QueueRow.Key(name: name, kind: kind, object: name == .none ? queue : .none))
    objects.define(queue, name: name, at: time)
    // A repeated definition, or the first one of a queue that was used before.
    if known.pointee.kind == nil || Int(known.pointee.row) != row { rows[row].queues &+= 1 }
    known.pointee.row = Int32(row)
    known.pointee.kind = QueueKind(rawValue: kind)
    known.pointee.width = UInt32(clamping: width)
    rows[row].width = max(rows[row].width, width)
    if known.pointee.kind == .cooperativePool, tables[0].pool == .none { tables[0].pool = queue }
  }

  func end(queue: ObjectID) { if tables[0].pool == queue { tables[0].pool = .none } }

  private func row(_ key: QueueRow.Key) -> Int { byKey.row(of: key) { rows.append(QueueRow(key: $0)) } }

  /// Returns the state of a queue that is not `none`. Makes one if the recording does not introduce the queue.
  private func state(_ queue: ObjectID) -> RowAddress<QueueState> {
    if let known = tables[0].queues.row(queue) { return known }
    return add(queue, row: row(QueueRow.Key(name: .none, kind: nil, object: queue)))
  }

  private func add(_ queue: ObjectID, row: Int) -> RowAddress<QueueState> {
    // The object that had its slot is gone.
    if let former = tables[0].queues.row(tables[0].queues.occupant(of: queue)) {
      tables[0].backlogs.drop(former.pointee.backlog)
    }
    var state = QueueState()
    state.object = queue
    state.row = Int32(row)
    return tables[0].queues.add(state)
  }

  // MARK: Waiting

  func create(
    _ work: ObjectID, name: StringID, kind: UInt64, queue: ObjectID, parent: ObjectID, site: StringID,
    due: Moment, at time: Moment
  ) {
    guard work != .none else { return }
    switch WorkKind(rawValue: kind) {
    case .task?: taskCount &+= 1
    case .handler?: if queue != .none { rows[Int(state(queue).pointee.row)].hasHandlers = true }
    case .operation?: if queue != .none { rows[Int(state(queue).pointee.row)].hasOperations = true }
    case .block?, .job?, nil: break
    }
    objects.define(work, name: name, at: time)
    var isServed = false
    if let known = tables[0].works.row(work), !known.pointee.isCreated {
      isServed = hasJustBegun(known, time)
    }
    let row = isServed ? row(work, at: time) : replace(work, at: time)
    row.pointee.name = name
    row.pointee.kind = min(kind, UInt64.max - 1)
    row.pointee.site = site
    row.pointee.parent = objects.name(of: parent)
    row.pointee.created = time
    if isServed {
      noteServed(row, queue, time)
    } else if kind != WorkKind.handler.rawValue {
      wait(row, in: queue, from: max(time, due), at: time)
    }
  }

  /// Notes that suspended work is queued again.
  func queue(_ work: ObjectID, in queue: ObjectID, at time: Moment) {
    guard work != .none else { return }
    let row = row(work, at: time)
    if mayHaveRun(row) { stopWaiting(row, at: time) }
    if row.pointee.since != .never {
      // A slice ended as queued, and this is the queue.
      if row.pointee.queue == .none { wait(row, in: queue, from: row.pointee.since, at: time) }
    } else if hasJustBegun(row, time) {
      noteServed(row, queue, time)
    } else {
      wait(row, in: queue, from: time, at: time)
    }
  }

  func discard(_ work: ObjectID, at time: Moment) {
    guard let row = tables[0].works.row(work) else { return }
    if let state = tables[0].queues.row(row.pointee.queue) { rows[Int(state.pointee.row)].discarded &+= 1 }
    forget(row, at: time)
  }

  private func row(_ work: ObjectID, at time: Moment) -> RowAddress<WorkRow> {
    tables[0].works.row(work) ?? replace(work, at: time)
  }

  /// Gives the work a new row. The object that had its slot is gone.
  private func replace(_ work: ObjectID, at time: Moment) -> RowAddress<WorkRow> {
    if let former = tables[0].works.row(tables[0].works.occupant(of: work)) { forget(former, at: time) }
    var row = WorkRow()
    row.object = work
    return tables[0].works.add(row)
  }

  private func forget(_ row: RowAddress<WorkRow>, at time: Moment) {
    stopWaiting(row, at: time)
    close(row.pointee.former)
    close(row.pointee.slice)
    row.pointee = WorkRow()
  }

  /// Returns whether the work waits, and may have run and been queued again among lost events.
  @inline(__always)
  private func mayHaveRun(_ row: RowAddress<WorkRow>) -> Bool {
    row.pointee.since < tables[0].lostUntil && row.pointee.mayRunAgain
  }

  /// Returns whether the work began at most one time unit before `time`, and it is not known when it was queued.
  private func hasJustBegun(_ row: RowAddress<WorkRow>, _ time: Moment) -> Bool {
    guard row.pointee.runs else { return false }
    let slice = tables[0].open[Int(row.pointee.slice)]
    return !slice.isQueued && time <= slice.begin &+ .unit
  }

  /// Notes that the slice that has just begun serves what is queued now.
  private func noteServed(_ row: RowAddress<WorkRow>, _ queue: ObjectID, _ time: Moment) {
    let slice = Int(row.pointee.slice)
    tables[0].open[slice].isQueued = true
    let place = tables[0].open[slice].queue != .none ? tables[0].open[slice].queue : queue
    guard place != .none else { return }
    let index = Int(state(place).pointee.row)
    rows[index].queued &+= 1
    rows[index].waits.record(time, to: time)
  }

  private func wait(_ row: RowAddress<WorkRow>, in queue: ObjectID, from since: Moment, at time: Moment) {
    row.pointee.since = since
    row.pointee.queue = queue
    row.pointee.isCounted = queue != .none && since <= time
    guard queue != .none else { return }
    let state = state(queue)
    let index = Int(state.pointee.row)
    rows[index].queued &+= 1
    guard row.pointee.isCounted else { return }
    state.pointee.waiting &+= 1
    if state.pointee.waiting == 1, !tables[0].isBlind {
      state.pointee.backlog = tables[0].backlogs.begin(
        queue, row: state.pointee.row, running: state.pointee.running, atOnce: rows[index].atOnce, at: time)
    }
    noteBacklog(state, at: time)
    report(state, at: time)
    if state.pointee.waiting > rows[index].depth, !tables[0].isBlind {
      rows[index].depth = state.pointee.waiting
      rows[index].depthAt = time
    }
  }

  private func stopWaiting(_ row: RowAddress<WorkRow>, at time: Moment) {
    row.pointee.since = .never
    guard row.pointee.isCounted else { return }
    row.pointee.isCounted = false
    guard let state = tables[0].queues.row(row.pointee.queue) else { return }
    if state.pointee.waiting > 0 { state.pointee.waiting &-= 1 }
    if state.pointee.waiting == 0 { endBacklog(state, isOpen: false, at: time) }
    report(state, at: time)
  }

  // MARK: Slices

  func begin(_ work: ObjectID, on queue: ObjectID, lane: Int, at time: Moment) {
    guard work != .none else { return }
    let row = row(work, at: time)
    let queue = queue != .none ? queue : row.pointee.queue
    // The ends of these slices are missing, or the work's id was used again.
    close(row.pointee.former)
    if row.pointee.runs, tables[0].open[Int(row.pointee.slice)].lane == lane { close(row.pointee.slice) }
    let isQueued = row.pointee.since != .never && !mayHaveRun(row)
    var waited = Length.zero
    if queue != .none { start(on: queue, lane: lane, at: time) }
    if isQueued {
      let since = min(objects.since(row.pointee.since), time)
      waited = time &- since
      row.pointee.waited &+= waited
      if queue != .none {
        let state = state(queue)
        let index = Int(state.pointee.row)
        if row.pointee.queue == .none { noteLate(queue, index, since: row.pointee.since, at: time) }
        rows[index].waits.record(since, to: time)
        tables[0].backlogs.note(state.pointee.backlog, wait: waited)
        if waited >= longWait, state.pointee.kind?.servesActors == true {
          noteHolder(of: state, since, at: time)
        }
      }
    }
    stopWaiting(row, at: time)
    row.pointee.queue = queue
    row.pointee.slices &+= 1
    row.pointee.former = row.pointee.slice
    row.pointee.slice = Int32(tables[0].open.count)
    tables[0].open.append(
      OpenSlice(work: work, queue: queue, lane: lane, begin: time, waited: waited, isQueued: isQueued))
  }

  /// Notes a wait whose queue was not known before its end.
  private func noteLate(_ queue: ObjectID, _ index: Int, since: Moment, at time: Moment) {
    rows[index].queued &+= 1
    guard late.count < AnalysisLimits.queueRows || late[queue] != nil else { return }
    let depth = late[queue, default: LateWaits()].add(since: since, begin: time)
    guard depth > rows[index].depth else { return }
    rows[index].depth = depth
    rows[index].depthAt = since
  }

  /// Notes that a slice begins on a queue, before its work stops waiting. A slice of an actor also occupies the pool.
  private func start(on queue: ObjectID, lane: Int, at time: Moment) {
    let state = state(queue)
    if state.pointee.kind == .actor, state.pointee.running > 0 { leave(state, at: time) }
    count(state, at: time)
    let index = Int(state.pointee.row)
    rows[index].begun &+= 1
    rows[index].lanes.insert(Int32(truncatingIfNeeded: lane))
    if state.pointee.kind == .actor, let pool = tables[0].queues.row(tables[0].pool) { count(pool, at: time) }
  }

  /// Notes that an actor is free of its slices, because another one begins on it.
  private func leave(_ actor: RowAddress<QueueState>, at time: Moment) {
    guard budget.use(tables[0].open.count) else { return }
    for place in tables[0].open.indices
    where tables[0].open[place].queue == actor.pointee.object && tables[0].open[place].left == .never {
      tables[0].open[place].left = time
      stopRunning(actor)
    }
  }

  /// Notes which slice was on a queue for the longest part of a wait that ends now.
  func noteHolder(of queue: RowAddress<QueueState>, _ since: Moment, at time: Moment) {
    let index = Int(queue.pointee.row)
    func note(_ name: StringID, _ begin: Moment, _ end: Moment) {
      let length = end.since(max(begin, since))
      guard length > rows[index].longestHold else { return }
      rows[index].holder = name
      rows[index].longestHold = length
    }
    note(queue.pointee.lastName, queue.pointee.lastSlice.begin, queue.pointee.lastSlice.end)
    guard budget.use(tables[0].open.count) else { return }
    for slice in tables[0].open where slice.queue == queue.pointee.object {
      note(objects.name(of: slice.work), slice.begin, min(slice.left, time))
    }
  }

  private func count(_ state: RowAddress<QueueState>, at time: Moment) {
    state.pointee.running &+= 1
    state.pointee.lastBegin = time
    noteBacklog(state, at: time)
    let index = Int(state.pointee.row)
    rows[index].atOnce = max(rows[index].atOnce, state.pointee.running)
  }

  func end(_ work: ObjectID, why: UInt64, lane: Int, at time: Moment) {
    guard let row = tables[0].works.row(work) else { return }
    let place = place(row, lane)
    if place >= 0 {
      let slice = tables[0].open[Int(place)]
      let begin = min(objects.since(slice.begin), time)
      row.pointee.ran &+= time &- begin
      book(slice, name: row.pointee.name, from: begin, to: time)
      close(place)
    } else if !row.pointee.runs {
      // The slice began before the recording, or its begin was lost.
      stopWaiting(row, at: time)
    }
    switch SliceEnd(rawValue: why) {
    case .done?: forget(row, at: time)
    case .queued? where !row.pointee.runs && row.pointee.since == .never:
      row.pointee.lastEnd = time
      wait(row, in: .none, from: time, at: time)
    default: row.pointee.lastEnd = time
    }
  }

  /// Notes that a run of a loop in a slice has ended, and how long the run waited.
  func noteLoopWait(_ work: ObjectID, lane: Int, _ length: Length) {
    guard let row = tables[0].works.row(work) else { return }
    let place = Int(place(row, lane))
    if place >= 0 { tables[0].open[place].loopWait &+= length }
  }

  /// Returns the index of the work's open slice on a lane, -1 = none.
  func place(_ row: RowAddress<WorkRow>, _ lane: Int) -> Int32 {
    if row.pointee.runs, tables[0].open[Int(row.pointee.slice)].lane == lane { return row.pointee.slice }
    if row.pointee.former >= 0, tables[0].open[Int(row.pointee.former)].lane == lane {
      return row.pointee.former
    }
    return -1
  }

  private func book(_ slice: OpenSlice, name: StringID, from begin: Moment, to time: Moment) {
    guard let state = tables[0].queues.row(slice.queue) else { return }
    let index = Int(state.pointee.row)
    let end = min(time, max(slice.left, begin))
    tables[0].backlogs.add(slice, name: name, to: state.pointee.backlog, at: end, objects)
    if end >= state.pointee.lastSlice.end {
      state.pointee.lastName = name
      state.pointee.lastSlice = (begin, end)
    }
    if state.pointee.kind == .actor, let pool = tables[0].queues.row(tables[0].pool) {
      tables[0].backlogs.add(slice, name: name, to: pool.pointee.backlog, at: time, objects)
    }
    rows[index].ended &+= 1
    if end &- begin >= rows[index].runs.lengths.maximum { rows[index].longestRun = name }
    rows[index].runs.record(begin, to: end)
  }

  /// Removes an open slice. Another one takes its index.
  private func close(_ place: Int32) {
    guard place >= 0 else { return }
    let slice = tables[0].open[Int(place)]
    if let row = tables[0].works.row(slice.work) {
      if row.pointee.slice == place {
        row.pointee.slice = row.pointee.former
        row.pointee.former = -1
      } else {
        row.pointee.former = -1
      }
    }
    if let state = tables[0].queues.row(slice.queue) {
      if slice.left == .never { stopRunning(state) }
      if state.pointee.kind == .actor, let pool = tables[0].queues.row(tables[0].pool) { stopRunning(pool) }
    }
    let last = tables[0].open.removeLast()
    guard Int(place) < tables[0].open.count else { return }
    tables[0].open[Int(place)] = last
    guard let moved = tables[0].works.row(last.work) else { return }
    let from = Int32(tables[0].open.count)
    if moved.pointee.slice == from { moved.pointee.slice = place }
    if moved.pointee.former == from { moved.pointee.former = place }
  }

  private func stopRunning(_ state: RowAddress<QueueState>) {
    if state.pointee.running > 0 { state.pointee.running &-= 1 }
  }

  // MARK: Backlogs

  private func noteBacklog(_ state: RowAddress<QueueState>, at time: Moment) {
    guard state.pointee.waiting > 0 else { return }
    tables[0].backlogs.note(
      state.pointee.backlog, waiting: state.pointee.waiting, running: state.pointee.running, at: time,
      objects)
  }

  /// Notes that no work waits any more, or that the span ends.
  private func endBacklog(_ state: RowAddress<QueueState>, isOpen: Bool, at time: Moment) {
    let place = state.pointee.backlog
    state.pointee.backlog = -1
    guard tables[0].backlogs.isLong(place) else { return tables[0].backlogs.drop(place) }
    if budget.use(tables[0].open.count) {
      for slice in tables[0].open where occupies(slice, state) {
        let end = slice.queue == state.pointee.object ? min(slice.left, time) : time
        tables[0].backlogs.add(slice, name: objects.name(of: slice.work), to: place, at: end, objects)
      }
    }
    tables[0].backlogs.end(place, isOpen: isOpen, at: time, objects)
  }

  private func occupies(_ slice: OpenSlice, _ state: RowAddress<QueueState>) -> Bool {
    if slice.queue == state.pointee.object { return true }
    guard state.pointee.kind == .cooperativePool, state.pointee.object == tables[0].pool else { return false }
    return tables[0].queues.row(slice.queue)?.pointee.kind == .actor
  }

  // MARK: Bounds

  /// Notes that events of a lane were lost, the last one at `time`. The ends of its slices may be among them.
  func lose(lane: Int, until time: Moment) {
    openCalls[lane] = nil
    guard !tables[0].works.isEmpty else { return }
    tables[0].isBlind = true
    tables[0].lostUntil = max(tables[0].lostUntil, time)
    tables[0].backlogs.forget()
    budget.use(tables[0].open.count)
    var place = 0
    while place < tables[0].open.count {
      if tables[0].open[place].lane == lane { close(Int32(place)) } else { place += 1 }
    }
  }

  /// Forgets what was counted before a window, and keeps the state.
  func beginWindow(_ time: Moment) {
    for index in 0..<rows.count {
      var row = QueueRow(key: rows[index].key)
      row.queues = rows[index].queues
      row.width = rows[index].width
      row.hasHandlers = rows[index].hasHandlers
      row.hasOperations = rows[index].hasOperations
      rows[index] = row
    }
    tables[0].queues.forEach { state in
      let index = Int(state.pointee.row)
      rows[index].atOnce = max(rows[index].atOnce, state.pointee.running)
      guard state.pointee.waiting > rows[index].depth else { return }
      rows[index].depth = state.pointee.waiting
      rows[index].depthAt = time
    }
    tables[0].backlogs.beginWindow()
    late = [:]
    tables[0].works.forEach { row in
      (row.pointee.slices, row.pointee.ran, row.pointee.waited) = (0, .zero, .zero)
    }
  }

  func finish(_ end: Moment) {
    slicesAtEnd = tables[0].open.sorted {
      ($0.lane, $0.begin, $0.work.rawValue) < ($1.lane, $1.begin, $1.work.rawValue)
    }
    tables[0].works.forEach { row in
      guard row.pointee.isCounted, row.pointee.since < end else { return }
      guard let state = tables[0].queues.row(row.pointee.queue) else { return }
      tables[0].backlogs.note(state.pointee.backlog, wait: end.since(objects.since(row.pointee.since)))
    }
    tables[0].queues.forEach { state in
      endBacklog(state, isOpen: true, at: end)
      rows[Int(state.pointee.row)].runningAtEnd &+= UInt64(state.pointee.running)
    }
    for slice in tables[0].open where !tables[0].isBlind {
      guard let state = tables[0].queues.row(slice.queue) else { continue }
      rows[Int(state.pointee.row)].openRuns.record(min(slice.left, end).since(objects.since(slice.begin)))
    }
    finishCalls(end)
    tables[0].backlogs.finish()
    findWaiting(end)
    findTasks(end)
  }
}
