import TraceAnalysis

/// Tables of the app's life cycle.
package enum LifeTables {
  package typealias Life = LifeCycleResult

  package static let phases = ResultTable<Life.PhaseSpan>("phases", "one row per phase, in time order") {
    Column("phase", "") { $0.phase.name }.headed("phase", at: 1, in: .page)
    Column.start { $0.startNs }.moment { $0.durationNs }
      .headed("from", at: 2, in: .page)
    Column("duration_ns", "") { $0.durationNs }.headed("length", at: 3, in: .page)
    Column("limit_ns", "limit of the profile") { $0.limitNs }.needing(.profile)
      .headed("limit", "The profile's limit for the phase.", at: 4, in: .page)
    Column("longest_busy_ns", "longest busy interval that began in the phase") { $0.longestBusyNs }
      .headed(
        "longest busy", "The longest listed busy interval that began in the phase.", at: 5, in: .page)
    Column.row(StackTables.limit, ifAny: { $0.atLimit })
  }

  private static let stays = ResultTable<Life.Stay>("stays", "one row per stay in the background") {
    Column.start { $0.startNs }
    Column("duration_ns", "duration by the trace's clock") { $0.durationNs }
    Column("wall_ns", "duration by the wall clock") { $0.wallNs }
    Column("boot_ns", "duration by the boot-time clock") { $0.bootNs }
    Column("suspended_ns", "suspended time in the stay") { $0.suspendedNs }
    Column("doubled_marks", "marks that repeat the mark before them") { $0.doubledMarks }
    Column("open", "whether the app was still in the background at the end") { $0.isOpen }
  }

  private static let tasks = ResultTable<Life.Task>("tasks", "one row per background task") {
    Column("name", "") { $0.name }
    Column.start { $0.startNs }
    Column("used_ns", "time that the task used") { $0.usedNs }
    Column("budget_ns", "budget that the system reported; 0 = unknown") { $0.budgetNs }
    Column("left_ns", "part of the budget that is left") { $0.leftNs }
    Column("outcome", "ended, expired or open") { $0.outcome.rawValue }
  }

  private static let services = ResultTable<Life.Service>("services", "one row per name") {
    Column("name", "") { $0.name }
    Column("on_ns", "time in which the service was on") { $0.onNs }
    Column("starts", "number of starts") { $0.starts }
    Column.share("duty_cycle", "share of the time in which the service was on") { $0.dutyCycle }
  }

  private static let unprotected = ResultTable<Life.Span>(
    "unprotected", "spans in the background without a task or service"
  ) {
    Column.start { $0.startNs }
    Column("duration_ns", "") { $0.durationNs }
  }

  private static let losses = ResultTable<Life.TimerLoss>("timers", "timers that lost fires to suspension") {
    Column("name", "") { $0.name }
    Column("lost", "fires that the timer lost to suspension") { $0.lost }
    Column("compensation_ns", "time to add on return to a clock that counts the fires") { $0.compensationNs }
  }

  package static let life = ResultTable<LifeCycleResult>(
    "lifecycle", "life cycle of the app, as the app reported it"
  ) {
    Column.rows(phases) { $0.phases }
    Column.rows(stays) { $0.stays }
    Column.rows(tasks) { $0.tasks }
    Column("tasks_used_ns", "time that all tasks used") { $0.tasksUsedNs }
    Column("tasks_covered_ns", "time in the background with at least one open task") { $0.tasksCoveredNs }
    Column.rows(services) { $0.services }
    Column.rows(unprotected) { $0.unprotected }
    Column("unprotected_ns", "total length of the unprotected spans") { $0.unprotectedNs }
    Column.rows(losses) { $0.timers }
  }
}
