import TraceFormat
import TraceReplay
import TraceResults

extension ResultBuilder {
  func lifeCycle(
    _ timers: [TimerResult], _ thread: UInt32?, _ replay: borrowing Replay
  ) -> LifeCycleResult {
    let book = replay.books.lifeCycle
    var life = LifeCycleResult()
    life.omitted = book.omitted
    life.phases = phases(book, thread, replay)
    life.stays = book.stays.map(stay)
    life.tasks = book.tasks.map { task in
      with(LifeCycleResult.Task()) { it in
        it.name = names.string(task.name) ?? "task"
        it.startNs = ns(task.begin)
        it.usedNs = ns((task.end ?? to) &- task.begin)
        it.budgetNs = task.budgetNs
        it.outcome = task.isExpired ? .expired : task.end == nil ? .open : .ended
      }
    }
    life.tasksUsedNs = life.tasks.map(\.usedNs).saturatedSum
    life.tasksCoveredNs = ns(book.covered.total)
    life.services = book.services.map {
      let share = ratio($0.on.total.rawValue, (to &- from).rawValue) ?? 0
      return (names.string($0.name) ?? "service", ns($0.on.total), $0.starts, share)
    }
    // An app that reports neither tasks nor services would have no protected stays at all.
    if !life.tasks.isEmpty || !life.services.isEmpty {
      life.unprotected = book.unprotected.map { (ns($0.begin), ns($0.length)) }
      life.unprotectedNs = ns(book.uncovered.total)
    }
    life.timers = timers.compactMap(loss)
    return life
  }

  private func loss(_ timer: TimerResult) -> LifeCycleResult.TimerLoss? {
    let lost = timer.ledger?.skippedBy[.suspended] ?? 0
    guard lost > 0 else { return nil }
    return (timer.name, lost, lost.multipliedReportingOverflow(by: timer.intervalNs).partialValue)
  }

  private func phases(
    _ book: LifeCycleBook, _ thread: UInt32?, _ replay: borrowing Replay
  ) -> [LifeCycleResult.PhaseSpan] {
    let lane = lane(thread, replay)
    let busy = replay.books.held.busy.elements.filter { $0.lane == lane && !$0.isUncertain }
    return book.phases.enumerated().compactMap { number, mark in
      guard let phase = LifePhase(rawValue: mark.code) else { return nil }
      let end = number + 1 < book.phases.count ? book.phases[number + 1].time : max(to, mark.time)
      let longest = busy.filter { $0.start >= mark.time && $0.start < end }.map(\.length).max() ?? .zero
      return with(LifeCycleResult.PhaseSpan()) { it in
        it.phase = phase
        it.startNs = ns(mark.time)
        it.durationNs = ns(end &- mark.time)
        it.limitNs = profile?.limits[phase]
        it.longestBusyNs = ns(longest)
      }
    }
  }

  private func stay(_ stay: LifeCycleBook.Stay) -> LifeCycleResult.Stay {
    let end = max(stay.end ?? to, stay.begin)
    let left = clocks(at: stay.begin)
    let returned = clocks(at: end)
    return with(LifeCycleResult.Stay()) { it in
      it.startNs = ns(stay.begin)
      it.durationNs = ns(end &- stay.begin)
      func passed(_ clock: KeyPath<SyncPoint, UInt64>) -> Int64? {
        left.flatMap { left in
          returned.map { Int64(truncatingIfNeeded: $0[keyPath: clock] &- left[keyPath: clock]) }
        }
      }
      it.wallNs = passed(\.realtimeNs)
      // Programs do not set the boot-time clock. If it went back, the sync points contradict each other and the
      // duration is not known.
      it.bootNs = passed(\.boottimeNs).flatMap { UInt64(exactly: $0) }
      it.suspendedNs = ns(stay.suspended)
      it.doubledMarks = stay.doubledMarks
      it.isOpen = stay.end == nil
    }
  }

  /// Returns the readings of all clocks at a moment, computed from the nearest sync point.
  private func clocks(at moment: Moment) -> SyncPoint? {
    let time = moment.rawValue
    let nearest = reader.syncPoints.min {
      max($0.time, time) - min($0.time, time) < max($1.time, time) - min($1.time, time)
    }
    guard var point = nearest else { return nil }
    // Wrapping subtraction of two moments, because the difference may be negative.
    let distance = ns(moment) &- ns(Moment(point.time))
    point.boottimeNs &+= distance
    point.realtimeNs &+= distance
    return point
  }
}
