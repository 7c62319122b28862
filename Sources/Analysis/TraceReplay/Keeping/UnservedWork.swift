import TraceFormat

/// Work of one kind and name that was queued for a loop and had not run when the span ended.
package struct UnservedWork {
  package var kind: QueuedWorkKind
  package var name: StringID
  package var loop: LoopID
  /// The lane of the loop's thread; nil = the loop never ran.
  package var lane: Int?
  package var count: UInt64 = 1
  /// When the piece of work that waited longest was queued, or came due.
  package var since: Moment
  /// How long that piece waited, without suspension.
  package var waited: Length
  package var reason: UnservedReason
  /// The modes that the work may run in: named modes, or the common modes.
  package var modes = ModeSet()
  package var isOfCommonModes = false
  /// The modes that the loop ran instead.
  package var ranModes = ModeSet()
  /// The callout that ran instead, and when it began. For a loop that slept or did not run, `blocker` is nil, and
  /// `blockedSince` is when the loop entered that state.
  package var blocker: (kind: EventKind, object: ObjectID)?
  package var blockedSince: Moment?
  /// When the work was released with its loop; nil = it waited to the end of the span.
  package var released: Moment?
}

/// The state of a thread when the span ended.
struct ThreadEnd {
  struct Run {
    var loop: LoopID
    var mode: ModeID
    var isWaiting: Bool
    var passStart: Moment
    /// The number of callouts around the run.
    var enclosing: Int
  }

  /// The runs, outermost first.
  var runs: [Run] = []
  var callouts: [(kind: EventKind, object: ObjectID, begin: Moment)] = []
  var lastExit: Moment?

  var openRun: OpenRun? {
    runs.last.map { run in
      OpenRun(mode: run.mode, isWaiting: run.isWaiting, isInCallout: callouts.count > run.enclosing)
    }
  }
}

/// The innermost run of a thread at the end of the span.
package struct OpenRun {
  package var mode: ModeID
  package var isWaiting: Bool
  /// Whether a callout of this run is open. Callouts of the runs around it do not count.
  package var isInCallout: Bool
}

/// Finds the work that was not served, and the reason.
struct UnservedWorkFinder {
  private typealias Place = WorkPlaces.Place

  let books: Books
  let ends: [ThreadEnd]
  /// The lane of a main queue that no run loop serves. Threads of the system serve it as soon as one is free, so its
  /// work never waits for a wake-up.
  let queueLane: Int?
  let end: Moment
  private let lanes: [LoopID: Int]
  /// The loop of that lane. It serves all work of the main queue, also work from before dispatchMain().
  private let queueLoop: LoopID?
  /// The rows, indexed by the properties that their work has in common.
  private var rows: [UnservedWork] = []
  private var index: [Key: Int] = [:]
  private(set) var omitted: UInt64 = 0

  private struct Key: Hashable {
    var kind: QueuedWorkKind
    var name: StringID
    var loop: LoopID
    var modes: ModeSet
    var reason: UnservedReason
    var blocker: ObjectID
    var isReleased: Bool
  }

  init(_ books: Books, _ ends: [ThreadEnd], queueLane: Int?, end: Moment) {
    self.books = books
    self.ends = ends
    self.queueLane = queueLane
    self.end = end
    lanes = books.modes.lanes
    queueLoop = queueLane.flatMap { lane in books.modes.lanes.first { $0.value == lane }?.key }
  }

  /// Returns the rows, the longest wait first. O(objects × modes).
  mutating func find() -> [UnservedWork] {
    books.objects.forEachLiving { row in
      if row.signalled != .never { note(signalled: row) } else if row.queued != nil { note(queued: row) }
    }
    for (row, time) in books.objects.released { note(row, releasedAt: time) }
    omitted &+= books.objects.releasedOmitted
    return rows.ordered { ($1.waited, $0.since, $0.name) < ($0.waited, $1.since, $1.name) }
  }

  private mutating func note(queued row: ObjectRow) {
    guard let kind = row.queued, row.created < end else { return }
    let loop = LoopID(row.loop)
    let place =
      kind == .block
      ? books.workPlaces.placeOfBlock(row.object, mode: row.mode, loop: loop)
      : Place(loop: queueLoop ?? loop, membership: ModeMembership(isCommonItem: true))
    note(kind, row.name, place, since: row.created)
  }

  /// Notes a block that was released with its loop, which no thread runs now.
  private mutating func note(_ row: ObjectRow, releasedAt time: Moment) {
    let place = books.workPlaces.placeOfBlock(row.object, mode: row.mode, loop: LoopID(row.loop))
    let ended = books.endedLoops[place.loop]
    guard ended.map({ $0 <= time }) ?? (lanes[place.loop] == nil) else { return }
    var work = work(.block, row.name, place, row.created, ended == nil ? .loopNotRunning : .loopEnded)
    work.waited = time.since(books.objects.since(row.created))
    work.blockedSince = ended
    work.released = time
    add(work, .none)
  }

  private mutating func note(signalled row: ObjectRow) {
    guard row.signalled < end else { return }
    let places = books.workPlaces.places(of: row.object)
    guard places.count == 1 else {
      // A source in several loops may be served by any of them.
      let reason: UnservedReason =
        places.isEmpty && books.workPlaces.knowsAllSources ? .inNoMode : .unknown
      add(work(.source0, row.name, Place(loop: LoopID(.none)), row.signalled, reason), .none)
      return
    }
    note(.source0, row.name, places[0], since: row.signalled)
  }

  private func work(
    _ kind: QueuedWorkKind, _ name: StringID, _ place: Place, _ since: Moment, _ reason: UnservedReason
  ) -> UnservedWork {
    UnservedWork(
      kind: kind, name: name, loop: place.loop, lane: lanes[place.loop], since: since,
      waited: end.since(books.objects.since(since)), reason: reason,
      modes: place.membership.named, isOfCommonModes: place.membership.isCommonItem)
  }

  private mutating func note(_ kind: QueuedWorkKind, _ name: StringID, _ place: Place, since: Moment) {
    var work = work(kind, name, place, since, .unknown)
    explain(&work, place)
    add(work, work.blocker?.object ?? .none)
  }

  private mutating func add(_ work: UnservedWork, _ blocker: ObjectID) {
    let key = Key(
      kind: work.kind, name: work.name, loop: work.loop, modes: work.modes, reason: work.reason,
      blocker: blocker,
      isReleased: work.released != nil)
    if let at = index[key] {
      let count = rows[at].count &+ 1
      if work.waited > rows[at].waited { rows[at] = work }
      rows[at].count = count
    } else if rows.count < AnalysisLimits.unservedRows {
      index[key] = rows.count
      rows.append(work)
    } else {
      omitted &+= 1
    }
  }

  // MARK: Reasons

  /// Whether a run loop ran, or may have run. Work of the main queue has no loop if CoreFoundation was not loaded when it
  /// was queued.
  private var ranRunLoop: Bool {
    books.modes.isOverfull || lanes.keys.contains { books.objects.kind(of: $0) == .runLoop }
  }

  private func explain(_ work: inout UnservedWork, _ place: Place) {
    if let ended = books.endedLoops[work.loop] {
      work.reason = .loopEnded
      work.blockedSince = ended
      return
    }
    guard work.loop != LoopID(.none) else {
      if work.kind == .mainQueueBlock, !ranRunLoop { work.reason = .loopNotRunning }
      return
    }
    guard let lane = work.lane else {
      // Without the rows of modes beyond the limit, it is not known whether a loop ran.
      work.reason = books.modes.isOverfull ? .unknown : .loopNotRunning
      return
    }
    let thread = ends[lane]
    if work.kind == .mainQueueBlock, explainByDrain(&work, thread) { return }
    let ran = modesServed(since: work.since, work.loop, thread)
    let isServed = ran.contains { isEligible($0, place) }
    work.ranModes = ran.reduce(into: ModeSet()) { if !isEligible($1, place) { $0.insert($1) } }
    guard let run = thread.runs.last else {
      work.reason = isServed || ran.isEmpty ? .loopNotRunning : .modeNotRun
      work.blockedSince = thread.lastExit
      return
    }
    guard run.loop == work.loop, place.areModesKnown else { return }
    guard isEligible(run.mode, place) else {
      work.reason = .modeNotRun
      work.ranModes.insert(run.mode)
      return
    }
    if thread.callouts.count > run.enclosing {
      if !isServed, !work.ranModes.isEmpty {
        work.reason = .modeNotRun
      } else {
        work.reason = .calloutUnderWay
        block(&work, by: thread.callouts.last)
      }
    } else if run.isWaiting, run.passStart <= work.since, lane != queueLane {
      work.reason = .notWoken
      work.blockedSince = run.passStart
    }
  }

  /// Explains work that waits for a drain of the main queue: no work of the queue runs before the drain is over.
  private func explainByDrain(_ work: inout UnservedWork, _ thread: ThreadEnd) -> Bool {
    let drains: [EventKind] = [.mainQueueDrainBegin, .mainQueueBlockBegin]
    guard let drain = thread.callouts.firstIndex(where: { drains.contains($0.kind) }) else { return false }
    // The callout that the drain called, if it is known.
    let isNamed = thread.callouts[drain].kind != .mainQueueDrainBegin
    let called = isNamed ? drain : min(drain + 1, thread.callouts.count - 1)
    let isNested = thread.runs.contains { $0.enclosing > drain }
    work.reason = isNested ? .drainUnderWay : .calloutUnderWay
    block(&work, by: thread.callouts[called])
    return true
  }

  private func block(
    _ work: inout UnservedWork, by callout: (kind: EventKind, object: ObjectID, begin: Moment)?
  ) {
    guard let callout else { return }
    work.blocker = (callout.kind, callout.object)
    work.blockedSince = callout.begin
  }

  private func isEligible(_ mode: ModeID, _ place: Place) -> Bool {
    books.workPlaces.isEligible(mode, place)
  }

  /// Returns the modes of a loop in which a pass began later than `moment`.
  private func modesServed(
    since moment: Moment, _ loop: LoopID, _ thread: ThreadEnd
  ) -> [ModeID] {
    var modes: [ModeID] = []
    for at in 0..<books.modes.cells.count
    where books.modes.cells[at].loop == loop && books.modes.cells[at].lastPass > moment {
      modes.append(books.modes.cells[at].mode)
    }
    for run in thread.runs where run.loop == loop && run.passStart > moment && !modes.contains(run.mode) {
      modes.append(run.mode)
    }
    return modes
  }
}
