import TraceAnalysis
import TraceFormat

/// Tables of the recording itself.
package enum RecordingTables {
  private static let threads = ResultTable<ThreadDefinition>("threads", "those with events") {
    Column("index", "as elsewhere under thread") { $0.index }
    Column(
      "os_thread",
      "the system's id; 0 of one that is not main: the recorder's own, of the main one: "
        + "the main queue without a run loop"
    ) { $0.osThread }
    Column("main", "the main thread") { $0.isMain }
    Column("name", "") { $0.name }
  }

  package static let suspensions = ResultTable<Suspension>("suspensions", "the longest, in order of time") {
    Column.start { $0.startNs }.moment { $0.durationNs }
      .headed("from", at: 1, in: .page)
    Column("duration_ns", "") { $0.durationNs }.headed("length", at: 2, in: .page)
    Column("evidence", "stopped, late_beat or system_sleep") { $0.evidence.rawValue }
      .headed("evidence", "What was seen.", at: 3, in: .page)
      .instead { .words($0.evidence.rawValue.with(" ", for: "_")) }
  }

  private static let events = Column<TraceFacts>("events", "in the analyzed span") { $0.events }
    .headed("Events", at: 4, in: .page)
  private static let lostEvents = Column<TraceFacts>("lost_events", "the recorder dropped them") {
    $0.lostEvents
  }.compared(.recording).headed("Lost events", at: 5, in: .page)
  private static let clean = Column<TraceFacts>("clean", "closed well and undamaged") { $0.clean }
    .headed("Closed well and undamaged", at: 6, in: .page)
  private static let captureLevel = Column<TraceFacts>("capture_level", "activities, callouts …") {
    $0.captureLevel.name
  }.headed("Capture level", at: 7, in: .page)

  /// The facts of each trace that a comparison shows.
  package static let outline = [events, lostEvents, clean, captureLevel]

  package static let trace = ResultTable<TraceFacts>("trace", "facts of the recording") {
    events
    lostEvents
    Column("lost_to_full_disk", "of lost_events, those for which a disk had no room") { $0.lostToFullDisk }
    Column(Heading("Analyzed span", at: 2, in: .page)) { $0.toNs &- $0.fromNs }.shown(as: .time)
    Column("duration_ns", "origin to the last event or sync point") { $0.durationNs }
      .headed("Recording", at: 3, in: .page)
    Column("from_ns", "the analyzed span's begin") { $0.fromNs }
    Column("to_ns", "the analyzed span's end") { $0.toNs }
    Column("start_realtime_ns", "wall-clock time of the origin, since 1970") { $0.startRealtimeNs }
    clean
    captureLevel
    Column("time_unit_ns", "the resolution of all times") { $0.timeUnitNs }
      .headed("Time unit", at: 9, in: .page)
    Column("high_stamps", "activities carry both stamps") { $0.hasHighStamps }
      .headed("Low and high stamps", at: 8, in: .page)
    Column("unknown_events", "skipped") { $0.unknownEvents }.headed("Unknown events", at: 12, in: .page)
    Column("unknown_blocks", "skipped") { $0.unknownBlocks }
    Column("damaged_blocks", "skipped") { $0.damagedBlocks }.headed("Damaged blocks", at: 13, in: .page)
    Column("unfollowed", "events of timers, runs and callouts beyond the limits") { $0.unfollowed }
    Column(
      "contradictions",
      "what no run loop does, names that are not defined, and wrong entries of the index: `rltrace validate` lists them"
    ) { $0.contradictions }.headed("Contradictions", at: 14, in: .page)
    Column("first_contradiction_ns", "the first such event; null = none, or it is the index") {
      $0.firstContradiction?.timeNs
    }
    Column("suspended_ns", "how long the process did not run") { $0.suspendedNs }
      .headed("Suspended", at: 10, in: .page)
    Column("late_beats", "late beats that were no suspension") { $0.lateBeats }
      .headed("Late beats that were no suspension", at: 11, in: .page)
    Column("slept_besides_ns", "the system slept while the trace's clock stood still") { $0.sleptBesidesNs }
    Column("suspensions_omitted", "those not listed", in: .document) { $0.suspensionsOmitted }
    Column.rows(suspensions) { $0.suspensions }
    Column.rows(threads) { $0.threads }
  }

  package typealias Fact = (key: String, value: Value)

  /// The facts as a table with one row each.
  package static let facts = ResultTable<Fact>("trace", "facts of the recording, one row each") {
    Column("key", "which fact") { $0.key }
    Column("value", "its value", .any) { $0.value }
  }

  package static func rows(_ trace: TraceFacts) -> [Fact] {
    self.trace.tableColumns.map { ($0.name, $0.value(trace)) }
  }
}
