import TraceAnalysis

/// Tables of timer classes and the outcome of their due points.
package enum TimerTables {
  package static let timers = ResultTable<TimerResult>(
    "timers", "timer classes, one row per creation site, interval and set of modes",
    needs: .callouts("timers")
  ) {
    Column("id", "id of the class in timer_modes and timer_fires", in: .table) { $0.id }
    Column(
      "classes", "ids of the classes that the row combines: timers of one creation site with many intervals",
      in: .table
    ) {
      $0.classes.map(String.init).joined(separator: " ")
    }
    name
    Column("names", "names of the timers", in: .document) { $0.names }
    Column("more_names", "whether the timers have more names than are listed", in: .document) {
      $0.hasMoreNames
    }
    Column("site", "creation site") { $0.site }
    StackTables.code {
      $0.function
    } madeBy: {
      $0.maker
    }
    Column.source("File and line of the function that the timer calls.", at: 2) { $0.function }
    Column("objects", "number of timers of the class") { $0.objects }
      .headed("objects", "Number of timers of the class.", at: 3, in: .page)
    Column("live", "timers that were in a mode of their loop at the end") { $0.life.live }
    Column("ended", "timers that were invalidated or removed from their last mode") { $0.life.ended }
    Column(
      "interval_ns",
      "interval; 0 = the timer fires once; if the class has many intervals, the shortest; null for the classes "
        + "beyond the limit"
    ) { $0.isRemainder ? nil : $0.intervalNs }
    .headed("interval", "The interval of the timer.", at: 4)
    .instead {
      $0.isVarying || $0.isRemainder
        ? .words($0.intervalText) : $0.intervalNs > 0 ? nil : .words($0.ledger == nil ? "–" : "once")
    }
    Column("longest_interval_ns", "longest interval, if the class has many; else interval_ns") {
      $0.isRemainder ? nil : $0.longestIntervalNs
    }
    Column("tolerance_ns", "") { $0.toleranceNs }
    Column("modes", "modes that contain the timer, joined by ', '") { $0.modes }.shown(as: .name)
      .headed("modes", "The modes that contain the timer.", at: 2, in: .page)
      .instead { .name($0.modes.isEmpty && !$0.isCommon ? "none" : $0.modeNames) }
    Column("common", "whether the timer was added to the common modes") { $0.isCommon }
    Column("deferrable", "whether the timer is meant to wait while another mode runs") { $0.isDeferrable }
    Column(.skippedByScheduler, "", in: .comparison) { $0.ledger?.skippedBy[.scheduler, default: 0] }
      .compared(.part(of: .due)).needing(.duePoints)
    due
    fired
    skipped
    Column("withdrawn", "due points that were moved or invalidated while they were overdue") {
      $0.ledger?.withdrawn
    }
    .compared(.part(of: .due)).metric().needing(.duePoints)
    .headed("withdrawn", "Due points that were moved or invalidated before they fired.", at: 11)
    Column("pending", "due points that were overdue at the end") { $0.ledger?.pending }
      .compared(.number).metric().needing(.duePoints)
      .headed("pending", "Due points that were overdue at the end.", at: 12)
    Column("early", "fires before their due point") { $0.ledger?.early }.metric().needing(.duePoints)
    Column("manual", "callouts that the program started outside the loop") { $0.manual }.compared(.number)
    Column(
      Heading(
        "mean late", "Mean lateness of the fires: the start of the callout minus the due point.", at: 13,
        in: .page)
    ) {
      $0.ledger.flatMap { mean($0.latenessNs) }
    }.shown(as: .time)
    lateness
    worstLateness.headed("max late", at: 14, in: .text)
    ledger
    skippedBy
    Column(
      "pending_overdue_ns",
      "how long the pending point has been overdue; if several timers have one, the longest time"
    ) {
      $0.ledger?.pendingOverdueNs
    }
    Column(Heading("callout time", "Total time of the timer's callouts in all modes.", at: 15, in: .page)) {
      $0.calloutNsByMode.map(\.ns).saturatedSum
    }.shown(as: .time)
    Column("longest_callout_ns", "") { $0.longestCalloutNs }
      .headed("longest callout", at: 16, in: .page)
    Column(
      Heading("blocked by", "The callout that ran during the largest part of the lateness.", at: 8, in: .page)
    ) {
      ($0.ledger?.notableBlockers.first).map { "\($0.kind) \($0.name)" }
    }.shown(as: .name)
    Column(Heading("blocked for", "The part of the lateness in which that callout ran.", at: 9, in: .page)) {
      $0.ledger?.notableBlockers.first?.latenessNs
    }.shown(as: .time)
    Column(Heading("share", "That part as a share of the total lateness.", at: 10, in: .page)) {
      timer -> Double? in
      guard let ledger = timer.ledger, let blocker = ledger.notableBlockers.first, ledger.latenessNs.sum > 0
      else {
        return nil
      }
      return Double(blocker.latenessNs) / Double(ledger.latenessNs.sum)
    }
    Column.sums("overdue_by_mode_ns", "lateness by the mode that was running") {
      $0.ledger?.overdueByModeNs.map { ($0.mode, $0.ns) }
    }
    Column.sums("wrong_mode_by", "points skipped with the cause wrong_mode, by the mode that was running") {
      $0.ledger?.wrongModeBy.map { ($0.mode, $0.count) }
    }
    Column<TimerLedgerResult>.rows(points) { $0.byMode }.of { $0.ledger }
    Column<TimerLedgerResult>.rows(blockers) { $0.blockers }.of { $0.ledger }
    Column.sums("callout_ns_by_mode", "time of the timer's callouts, by mode") {
      $0.calloutNsByMode.map { ($0.mode, $0.ns) }
    }
  }

  private static func mean(_ values: Distribution) -> UInt64? {
    values.count > 0 ? values.sum / values.count : nil
  }

  package static let name = Column<TimerResult>("name", "") { $0.name }
    .named("timer", "A timer class: one creation site, interval and set of modes.", at: 1)
  package static let due = Column<TimerResult>(.due, "due points = fired + skipped + withdrawn + pending") {
    $0.ledger?.due
  }
  .compared(.number).metric().needing(.duePoints)
  .headed("due", "Due points = fired + skipped + withdrawn + pending.", at: 5)
  package static let fired = Column<TimerResult>("fired", "") { $0.fired }.compared(.number).metric()
    .headed("fired", "Callouts that the loop began.", at: 6)
  package static let skipped = Column<TimerResult>(.skipped, "") { $0.ledger?.skipped }
    .compared(.fault(of: .due)).metric(splitBy: skippedBy).needing(.duePoints)
    .headed("skipped", "Grid points that the loop dropped.", at: 7)
  package static let lateness = Column<TimerResult>.distribution(
    .lateness, "lateness of fires, fire minus due point"
  ) {
    $0.ledger?.latenessNs
  }
  .compared(.wait).metric().needing(.duePoints).headed("late", at: 14, in: .page)
  package static let totalLateness = lateness.cell(DistributionColumns.sum)
  package static let worstLateness = lateness.cell(DistributionColumns.max)
  /// The parts of the lateness of fires by cause; `skippedBy` holds the parts of the skipped points.
  package static let ledger = Column<TimerResult>.causes(
    "ledger_ns", "part of the lateness with this cause; the parts add up to lateness_ns.sum"
  ) { $0.ledger?.ledgerNs }
  package static let skippedBy = Column<TimerResult>.causes(
    "skipped_by", "number of skipped points with this cause"
  ) {
    $0.ledger?.skippedBy
  }

  private static let points = ResultTable<PointsInMode>(
    "by_mode", "due points of the class, one row per mode in which they came due"
  ) {
    Column("mode", "") { $0.mode }.named("mode", at: 2)
    Column("due", "due points = fired + skipped + withdrawn + pending") { $0.due }.headed("due", at: 3)
    Column("fired", "") { $0.fired }.headed("fired", at: 4)
    Column("skipped", "") { $0.skipped }.headed("skipped", at: 5)
    Column("withdrawn", "") { $0.withdrawn }
    Column("pending", "") { $0.pending }
    Column("worst_lateness_ns", "longest lateness of the fires") { $0.fired > 0 ? $0.worstLatenessNs : nil }
      .headed("max late", at: 6)
  }

  private static let blockers = ResultTable<BlockerResult>(
    "blockers",
    "callouts that ran while due points were overdue, one row per kind and name, the most lateness first"
  ) {
    Column("kind", "timer, source0, source1, block …") { $0.kind }
    Column("name", "") { $0.name }
    Column("lateness_ns", "part of the lateness in which the callout ran") { $0.latenessNs }
    Column("skipped", "due points that were skipped while the callout ran") { $0.points }
  }

  package typealias ModeRow = (timer: TimerResult, points: PointsInMode)

  package static let timerModes = ResultTable<ModeRow>(
    "timer_modes", "outcome of the due points of each timer class, by the mode in which they came due"
  ) {
    Column("timer", "id of the timer class") { $0.timer.id }
    name.ofEach { $0.timer }
    points.columns.map { $0.ofEach { $0.points } }
    Column(Heading("callout time", at: 7)) { row in
      row.timer.calloutNsByMode.first { $0.mode == row.points.mode }?.ns ?? 0
    }.shown(as: .time)
  }

  package static func modeRows(_ timers: [TimerResult]) -> [ModeRow] {
    timers.flatMap { timer in (timer.ledger?.byMode ?? []).map { (timer, $0) } }
  }
}
