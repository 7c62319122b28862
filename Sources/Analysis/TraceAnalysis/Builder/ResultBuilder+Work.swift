import CallStacks
import TraceFormat
import TraceReplay
import TraceResults

/// Queues other than the main queue, and their work.
extension ResultBuilder {
  func work(_ replay: borrowing Replay, _ stalls: inout StallBuilder?) -> WorkResults {
    let book = replay.books.queues
    var result = WorkResults()
    result.hasJobsOnly = reader.info.contains(.jobsOnly)
    result.isRequested = reader.info.contains { $0.key == InfoEntry.queues }
    guard book.rows.count > 0 || book.taskCount > 0 else { return result }
    let threads = replay.stream.threads
    let objects = replay.books.objects
    result.queues = queueRows(book, objects, threads, &stalls)
    let block = replay.runningAtEnd.first { $0.kind == .mainQueueBlockBegin }
    result.tasks = book.tasks.map { task($0, objects, block?.begin) }
    result.tasksOmitted = book.tasksOmitted
    result.hasTasks =
      book.taskCount > 0
      || result.queues.contains { $0.kind == .cooperativePool || $0.kind?.servesActors == true }
    for found in book.foundBacklogs.elements {
      result.backlogs.append(backlog(found, book, threads, &stalls))
    }
    if result.backlogs.contains(where: { $0.kind == .cooperativePool }) {
      result.functionsOfPool = functionsOfPool(book, threads, &stalls)
    }
    result.deadlocks = deadlocks(book, threads, objects, &stalls)
    return result
  }

  private func name(_ key: QueueRow.Key?) -> String {
    guard let key else { return Remainder.rows }
    return names.queue(key.name, object: key.object)
  }

  private func queueName(_ queue: ObjectID, _ objects: ObjectTable) -> String {
    queue == .none ? "" : names.queue(objects.name(of: queue), object: queue)
  }

  private func workName(_ name: StringID, _ work: ObjectID) -> String {
    names.string(name) ?? "\(reader.info.contains(.jobsOnly) ? "job" : "work") #\(work.rawValue)"
  }

  private func queueRows(
    _ book: QueueBook, _ objects: ObjectTable, _ threads: [ThreadIndex], _ stalls: inout StallBuilder?
  ) -> [WorkQueueResult] {
    var results: [WorkQueueResult] = []
    for index in 0..<book.rows.count {
      let found = book.rows[index].longestCall
      let longestCall = found.map { queueCall($0, threads, &stalls) }
      results.append(
        with(WorkQueueResult()) { it in
          it.name = name(book.rows[index].key)
          it.isRemainder = book.rows[index].key == nil
          it.hasName = book.rows[index].key.map { $0.object == .none } ?? true
          it.kind = book.rows[index].key?.kind.flatMap(QueueKind.init)
          it.queues = book.rows[index].queues
          it.width = book.rows[index].width
          it.queued = book.rows[index].queued
          it.begun = book.rows[index].begun
          it.ended = book.rows[index].ended
          it.discarded = book.rows[index].discarded
          it.waitNs = distribution(book.rows[index].waits.lengths)
          it.longestWaitStartNs = ns(book.rows[index].waits.longestBegin)
          it.runNs = distribution(book.rows[index].runs.lengths)
          it.longestRun = names.string(book.rows[index].longestRun) ?? ""
          it.longestRunStartNs = ns(book.rows[index].runs.longestBegin)
          it.holder = names.string(book.rows[index].holder) ?? ""
          it.longestHoldNs = ns(book.rows[index].longestHold)
          it.callNs = distribution(book.rows[index].calls.lengths)
          it.longestCall = longestCall
          it.hasHandlers = book.rows[index].hasHandlers
          // An operation of an unknown class is not recognized, but the label of an unnamed OperationQueue is.
          it.hasOperations = book.rows[index].hasOperations || it.name.hasPrefix("NSOperationQueue ")
          it.openWaitNs = distribution(book.rows[index].openWaits)
          it.openRunNs = distribution(book.rows[index].openRuns)
          it.openCallNs = distribution(book.rows[index].openCalls)
          it.depth = UInt64(book.rows[index].depth)
          it.depthNs = ns(book.rows[index].depthAt)
          it.atOnce = UInt64(book.rows[index].atOnce)
          it.threads = UInt64(book.rows[index].lanes.count)
          it.waiting = book.rows[index].waitingAtEnd
          it.running = book.rows[index].runningAtEnd
          it.oldestWaitStartNs = it.waiting > 0 ? ns(book.rows[index].oldestWait) : 0
          guard it.running > 0 else { return }
          it.runningSlices = runningSlices(ofRow: index, book, objects, threads)
        })
    }
    return results.filter {
      $0.queued > 0 || $0.begun > 0 || $0.waiting > 0 || $0.running > 0 || $0.callNs.count > 0
        || $0.openCallNs.count > 0
    }
    .ordered { ($1.runNs.sum, $1.begun, $0.name) < ($0.runNs.sum, $0.begun, $1.name) }
  }

  private func queueCall(
    _ found: FoundQueueCall, _ threads: [ThreadIndex], _ stalls: inout StallBuilder?
  ) -> QueueCall {
    let thread = threads[found.lane], osThread = definition(thread).osThread
    let start = ns(max(found.start, from)), length = ns(found.length)
    let span = start...max(start, min(start.saturated(adding: length), ns(to)))
    let function = stalls?.activity(of: osThread, in: span)?.function
    var owner = stalls?.owner(for: osThread, in: span)
    // A deadlock does not end.
    if !found.isStuck { owner?.isDeadlock = false }
    return with(QueueCall()) { it in
      it.thread = thread.rawValue
      it.startNs = start
      it.waitedNs = length
      it.isStuck = found.isStuck
      it.function = function
      it.owner = owner
      it.firstOwner = found.holder == 0 ? nil : names.lockOwner(found.holder)
    }
  }

  private func runningSlices(
    ofRow row: Int, _ book: QueueBook, _ objects: ObjectTable, _ threads: [ThreadIndex]
  ) -> [RunningSlice] {
    let slices = book.slicesAtEnd(ofRow: row).ordered { ($0.begin, $0.lane) < ($1.begin, $1.lane) }
    return slices.prefix(AnalysisLimits.runningSlices).map { slice in
      with(RunningSlice()) { it in
        it.name = workName(objects.name(of: slice.work), slice.work)
        it.thread = threads[slice.lane].rawValue
        it.startNs = ns(slice.begin)
        it.ranNs = ns(to) &- min(it.startNs, ns(to))
      }
    }
  }

  /// `block`: the start of the main queue's block that ran at the end of the span. On that queue, the slices of tasks
  /// have no length, and end as if the task were suspended.
  private func task(_ found: FoundTask, _ objects: ObjectTable, _ block: Moment?) -> WorkTaskResult {
    with(WorkTaskResult()) { it in
      it.name = names.string(found.name) ?? "task #\(found.object.rawValue)"
      it.site = names.string(found.site) ?? ""
      it.parent = names.string(found.parent) ?? ""
      it.createdNs = ns(max(found.created, from))
      it.slices = found.slices
      it.ranNs = ns(found.ran)
      it.waitedNs = ns(found.waited)
      it.queue = queueName(found.queue, objects)
      it.state =
        switch found.state {
        case .running: .running
        case .queued: .queued
        case .suspended: block.map { $0 <= found.since } == true && it.isOnMainQueue ? .running : .suspended
        }
      it.sinceNs = ns(max(found.since, from))
      it.stayedNs = min(ns(found.stayed), ns(to) &- it.sinceNs)
    }
  }

  private func backlog(
    _ found: FoundBacklog, _ book: QueueBook, _ threads: [ThreadIndex], _ stalls: inout StallBuilder?
  ) -> QueueBacklog {
    var works: [QueueBacklog.Work] = []
    for work in found.works { works += self.works(work, threads, &stalls) }
    works = works.ordered { $1.durationNs < $0.durationNs }
    return with(QueueBacklog()) { it in
      it.queue = name(book.rows[found.row].key)
      it.kind = book.rows[found.row].key?.kind.flatMap(QueueKind.init)
      it.startNs = ns(max(found.start, from))
      it.durationNs = min(ns(found.length), ns(max(found.end, from)) &- it.startNs)
      it.longestWaitNs = ns(found.longestWait)
      it.waiting = UInt64(found.waiting)
      it.runningAtFirst = UInt64(found.runningAtFirst)
      it.running = UInt64(found.running)
      it.occupiedNs = ns(found.occupied)
      it.works = works
      let width = book.rows[found.row].width
      // The width of a pool is that of its machine, whatever its process may use.
      let isPool = it.kind == .cooperativePool
      it.threads = width > 0 && !isPool ? width : UInt64(found.atOnce)
      let (all, isOver) = it.threads.multipliedReportingOverflow(by: it.durationNs)
      it.threadTimeNs = isOver ? .max : all &- min(all, isPool ? ns(found.beforeGrowth) : 0)
      it.isOpen = found.isOpen
    }
  }

  /// Returns the functions in which the threads of the pool of Swift tasks were sampled.
  private func functionsOfPool(
    _ book: QueueBook, _ threads: [ThreadIndex], _ stalls: inout StallBuilder?
  ) -> [QueueBacklog.Function] {
    let pool = UInt64(QueueKind.cooperativePool.rawValue)
    var lanes: Set<Int32> = []
    for row in 0..<book.rows.count where book.rows[row].key?.kind == pool {
      lanes.formUnion(book.rows[row].lanes)
    }
    let osThreads = lanes.map { definition(threads[Int($0)]).osThread }.ordered()
    return stalls?.functions(of: osThreads, in: ns(from)...max(ns(from), ns(to))) ?? []
  }

  /// Returns the slices of one name. If the longest of them did different things, those that waited and those that
  /// computed are apart: each has a part of the time, in proportion to the longest slices.
  private func works(
    _ found: FoundBacklog.Work, _ threads: [ThreadIndex], _ stalls: inout StallBuilder?
  ) -> [QueueBacklog.Work] {
    var activities: [(cause: StallCause, function: StackFrame?, ns: UInt64)] = []
    for slice in found.longest {
      let span = ns(slice.begin)...max(ns(slice.begin), ns(slice.end))
      let osThread = definition(threads[slice.lane]).osThread
      guard let activity = stalls?.activity(of: osThread, in: span) else { continue }
      activities.append((activity.cause, activity.function, ns(slice.length)))
    }
    let name = workName(found.name, found.work)
    let (durationNs, loopWaitNs) = (ns(found.time), ns(found.loopWait))
    func work(_ activity: (cause: StallCause, function: StackFrame?, ns: UInt64)?, _ durationNs: UInt64)
      -> QueueBacklog.Work
    {
      with(QueueBacklog.Work()) {
        ($0.name, $0.durationNs, $0.cause, $0.function) = (
          name, durationNs, activity?.cause, activity?.function
        )
      }
    }
    let waiting = activities.filter { $0.cause.isWait }
    if waiting.count < activities.count || activities.isEmpty, loopWaitNs > 0,
      isAtLeast(loopWaitNs, QueueBacklog.most, of: durationNs)
    {
      // The samples are from the rest of the time.
      var inLoops = work(nil, durationNs)
      (inLoops.function, inLoops.waitsInLoops) = (stalls?.runner(inWork: name), true)
      return [inLoops]
    }
    let others = activities.filter { !$0.cause.isWait }
    guard !waiting.isEmpty, let other = others.first else { return [work(activities.first, durationNs)] }
    guard others.allSatisfy({ $0.cause != .unknown }) else {
      var unknown = work(activities.first, durationNs)
      unknown.cause = .unknown
      return [unknown]
    }
    let (waited, all) = (waiting.map(\.ns).saturatedSum, activities.map(\.ns).saturatedSum)
    let waitedNs = min(
      UInt64(clamping: Double(durationNs) * Double(waited) / Double(max(all, 1))), durationNs)
    return [work(waiting.first, waitedNs), work(other, durationNs - waitedNs)]
  }

  // MARK: Work that never ran

  /// Returns the work of queues that had not run at the end of the span. `isUncertain`: it may have run.
  func unservedOfQueues(_ replay: borrowing Replay, isUncertain: Bool) -> [UnservedResult] {
    let objects = replay.books.objects
    let calls = Dictionary(grouping: replay.books.queues.callsAtEnd, by: \.queue)
    let backlogs = replay.books.queues.foundBacklogs.elements
    let openBacklogs = Dictionary(
      backlogs.indices.filter { backlogs[$0].isOpen }.map { (backlogs[$0].queue, $0) }
    ) { first, _ in first }
    let threads = replay.stream.threads
    return replay.books.queues.waiting.map { work in
      with(UnservedResult()) { it in
        it.kind = .work
        it.name = names.string(work.name) ?? "\(QueuedWorkKind.work.words) without a name"
        it.loop = queueName(work.queue, objects)
        it.count = work.count
        it.queuedNs = ns(max(work.since, from))
        it.waitedNs = ns(work.waited)
        it.isUncertain = isUncertain
        it.backlog = openBacklogs[work.queue].flatMap { work.waited <= backlogs[$0].longestWait ? $0 : nil }
        guard work.running > 0 else {
          guard let call = calls[work.queue]?.min(by: { $0.start < $1.start }) else { return }
          it.waitingThread = threads[call.lane].rawValue
          it.waitingSinceNs = ns(max(call.start, from))
          return
        }
        it.reason = .otherWork
        guard let behind = work.behind else { return }
        it.reason = .calloutUnderWay
        it.blockerKind = names.calloutKind(.workBegin)
        it.blocker = workName(objects.name(of: behind.work), behind.work)
        it.blockedSinceNs = ns(max(behind.begin, from))
      }
    }
  }

  // MARK: Deadlocks

  /// Returns the circles of threads that wait for queues at the end of the span. Each thread waits for at most one
  /// queue, so a walk from any thread of a circle finds it.
  private func deadlocks(
    _ book: QueueBook, _ threads: [ThreadIndex], _ objects: ObjectTable, _ stalls: inout StallBuilder?
  ) -> [QueueDeadlock] {
    let calls = Dictionary(book.callsAtEnd.map { ($0.lane, $0) }) { first, _ in first }
    guard !calls.isEmpty else { return [] }
    let laneOfThread = Dictionary(
      threads.indices.map { (definition(threads[$0]).osThread, $0) }.filter { $0.0 != 0 }
    ) { first, _ in first }
    let ofQueue = Dictionary(grouping: book.slicesAtEnd, by: \.queue)
    func holder(_ call: FoundQueueCall) -> Int? {
      if call.holder != 0 { return laneOfThread[call.holder] }
      // If exactly one slice of a queue runs, the queue is held by that slice's thread.
      let slices = ofQueue[call.queue] ?? []
      return slices.count == 1 ? slices[0].lane : nil
    }
    var seen: Set<Int> = []
    var found: [QueueDeadlock] = []
    for first in calls.keys.ordered() where !seen.contains(first) {
      var walk: [Int] = []
      var at: Int? = first
      while let lane = at, let call = calls[lane], !seen.contains(lane) {
        seen.insert(lane)
        walk.append(lane)
        at = holder(call)
      }
      guard let at, let start = walk.firstIndex(of: at) else { continue }
      found.append(
        deadlock(walk[start...].compactMap { calls[$0] }, threads, book.slicesAtEnd, objects, &stalls))
    }
    return found
  }

  private func deadlock(
    _ calls: [FoundQueueCall], _ threads: [ThreadIndex], _ slices: [OpenSlice], _ objects: ObjectTable,
    _ stalls: inout StallBuilder?
  ) -> QueueDeadlock {
    var links: [QueueDeadlock.Link] = []
    for call in calls {
      let thread = threads[call.lane], since = ns(max(call.start, from))
      let activity = stalls?.activity(of: definition(thread).osThread, in: since...max(since, ns(to)))
      links.append(
        with(QueueDeadlock.Link()) { link in
          link.thread = thread.rawValue
          link.queue = queueName(call.queue, objects)
          link.sinceNs = since
          link.function = activity?.function
          guard let slice = slices.last(where: { $0.lane == call.lane }) else { return }
          link.work = workName(objects.name(of: slice.work), slice.work)
          link.workQueue = queueName(slice.queue, objects)
        })
    }
    return with(QueueDeadlock()) { it in
      it.links = links
      it.waitedNs = calls.map { ns($0.length) }.min() ?? 0
    }
  }
}
