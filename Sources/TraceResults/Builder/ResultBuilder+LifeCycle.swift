import TraceFormat
import TraceReplay

extension ResultBuilder {
  func lifeCycle(
    _ timers: [TimerResult], _ thread: UInt32?, _ replay: borrowing Replay
  ) -> LifeCycleResult {
    let book = replay.books.lifeCycle
    let tasks = book.tasks.map { task in
      LifeCycleResult.Task(
        name: names.string(task.name) ?? "task", startNs: ns(task.begin),
        usedNs: ns((task.end ?? to) &- task.begin), budgetNs: task.budgetNs,
        outcome: task.isExpired ? .expired : task.end == nil ? .open : .ended)
    }
    let services = book.services.map { row in
      LifeCycleResult.Service(
        name: names.string(row.name) ?? "service", onNs: ns(row.on.total), starts: row.starts,
        dutyCycle: ratio(row.on.total.rawValue, (to &- from).rawValue) ?? 0)
    }
    // Of an app that knows neither, a stay in the background without them is nothing new.
    let knowsNeither = tasks.isEmpty && services.isEmpty
    let unprotected = book.unprotected.map { row in
      LifeCycleResult.Span(startNs: ns(row.begin), durationNs: ns(row.length))
    }
    return LifeCycleResult(
      phases: phases(book, thread, replay), stays: book.stays.map(stay), tasks: tasks,
      tasksUsedNs: tasks.reduce(0) { $0 &+ $1.usedNs }, tasksCoveredNs: ns(book.covered.total),
      services: services, unprotected: knowsNeither ? [] : unprotected,
      unprotectedNs: knowsNeither ? 0 : ns(book.uncovered.total), timers: timers.compactMap(loss),
      omitted: book.omitted)
  }

  private func loss(_ timer: TimerResult) -> LifeCycleResult.TimerLoss? {
    let lost = timer.ledger?.skippedBy[.suspended] ?? 0
    guard lost > 0 else { return nil }
    return LifeCycleResult.TimerLoss(
      name: timer.name, lost: lost,
      compensationNs: lost.multipliedReportingOverflow(by: timer.intervalNs).partialValue)
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
      return LifeCycleResult.PhaseSpan(
        phase: phase, startNs: ns(mark.time), durationNs: ns(end &- mark.time),
        limitNs: profile?.limits[phase], longestBusyNs: ns(longest))
    }
  }

  private func stay(_ stay: LifeCycleBook.Stay) -> LifeCycleResult.Stay {
    let end = max(stay.end ?? to, stay.begin)
    let left = clocks(at: stay.begin)
    let returned = clocks(at: end)
    return LifeCycleResult.Stay(
      startNs: ns(stay.begin), durationNs: ns(end &- stay.begin),
      wallNs: left.flatMap { left in
        returned.map { Int64(truncatingIfNeeded: $0.realtimeNs &- left.realtimeNs) }
      }, bootNs: left.flatMap { left in returned.map { $0.boottimeNs &- left.boottimeNs } },
      suspendedNs: ns(stay.suspended), doubledMarks: stay.doubledMarks, isOpen: stay.end == nil)
  }

  /// All clocks at a moment, from the sync point next to it.
  private func clocks(at moment: Moment) -> SyncPoint? {
    let time = moment.rawValue
    let nearest = reader.syncPoints.min {
      max($0.time, time) - min($0.time, time) < max($1.time, time) - min($1.time, time)
    }
    guard var point = nearest else { return nil }
    let distance = ns(moment &- Moment(point.time))
    point.boottimeNs &+= distance
    point.realtimeNs &+= distance
    return point
  }
}
