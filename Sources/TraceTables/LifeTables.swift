import TraceAnalysis

/// Tables of the app's life cycle.
package enum LifeTables {
  package typealias Life = LifeCycleResult

  package static let phases = ResultTable<Life.PhaseSpan>("phases", "one row per phase, in order of time") {
    Column("phase", "") { $0.phase.name }.headed("phase", at: 1, in: .page)
    Column.start { $0.startNs }.moment { $0.durationNs }
      .headed("from", at: 2, in: .page)
    Column("duration_ns", "") { $0.durationNs }.headed("length", at: 3, in: .page)
    Column("limit_ns", "of the profile") { $0.limitNs }.needing(.profile)
      .headed("limit", "Of the profile.", at: 4, in: .page)
    Column("longest_busy_ns", "that began in it") { $0.longestBusyNs }
      .headed(
        "longest busy", "The longest listed time without a wait that began in it.", at: 5, in: .page)
    Column.row(StackTables.limit, ifAny: { $0.atLimit })
  }

  private static let stays = ResultTable<Life.Stay>("stays", "one row per stay in the background") {
    Column.start { $0.startNs }
    Column("duration_ns", "by the trace's clock") { $0.durationNs }
    Column("wall_ns", "by the wall clock") { $0.wallNs }
    Column("boot_ns", "by boot time") { $0.bootNs }
    Column("suspended_ns", "in it") { $0.suspendedNs }
    Column("doubled_marks", "marks that only repeated the one before") { $0.doubledMarks }
    Column("open", "not over at the end") { $0.isOpen }
  }

  private static let tasks = ResultTable<Life.Task>("tasks", "one row per background task") {
    Column("name", "") { $0.name }
    Column.start { $0.startNs }
    Column("used_ns", "of its budget") { $0.usedNs }
    Column("budget_ns", "0 = unknown") { $0.budgetNs }
    Column("left_ns", "of its budget") { $0.leftNs }
    Column("outcome", "ended, expired or open") { $0.outcome.rawValue }
  }

  private static let services = ResultTable<Life.Service>("services", "one row per name") {
    Column("name", "") { $0.name }
    Column("on_ns", "how long it was on") { $0.onNs }
    Column("starts", "how often it was started") { $0.starts }
    Column.share("duty_cycle", "the share of the time in which it was on") { $0.dutyCycle }
  }

  private static let unprotected = ResultTable<Life.Span>("unprotected", "in the background without either") {
    Column.start { $0.startNs }
    Column("duration_ns", "") { $0.durationNs }
  }

  private static let losses = ResultTable<Life.TimerLoss>("timers", "countdowns") {
    Column("name", "") { $0.name }
    Column("lost", "points lost to suspension") { $0.lost }
    Column("compensation_ns", "what to add") { $0.compensationNs }
  }

  package static let life = ResultTable<LifeCycleResult>("lifecycle", "the app's life") {
    Column.rows(phases) { $0.phases }
    Column.rows(stays) { $0.stays }
    Column.rows(tasks) { $0.tasks }
    Column("tasks_used_ns", "by all tasks") { $0.tasksUsedNs }
    Column("tasks_covered_ns", "with at least one task") { $0.tasksCoveredNs }
    Column.rows(services) { $0.services }
    Column.rows(unprotected) { $0.unprotected }
    Column("unprotected_ns", "of all spans") { $0.unprotectedNs }
    Column.rows(losses) { $0.timers }
  }
}
