import SystemSupport
import TraceAnalysis
import TraceFormat

extension Column {
  /// The writer of a recording, as the trace states it.
  package static func writtenBy(_ read: @escaping @Sendable (Row) -> String?) -> Column {
    Column(
      "written_by",
      "program or library that wrote the recording, with its version; null = the trace does not say",
      in: .document, read)
  }
}

/// Tables of the recording itself.
package enum RecordingTables {
  private static let threads = ResultTable<ThreadDefinition>("threads", "threads with events") {
    Column("index", "index that the other tables use for the thread") { $0.index }
    Column(
      "os_thread",
      "the operating system's id; 0 = the recorder's own thread or, if main is true, "
        + "the main queue without a run loop"
    ) { $0.osThread }
    Column("main", "whether it is the main thread") { $0.isMain }
    Column("name", "") { $0.name }
  }

  package static let suspensions = ResultTable<Suspension>(
    "suspensions", "the longest suspensions, in time order"
  ) {
    Column.start { $0.startNs }.moment { $0.durationNs }
      .headed("from", at: 1, in: .page)
    Column("duration_ns", "") { $0.durationNs }.headed("length", at: 2, in: .page)
    Column("evidence", "stopped, late_beat or system_sleep") { $0.evidence.rawValue }
      .headed("evidence", "How the suspension was detected.", at: 3, in: .page)
      .instead { .words($0.evidence.rawValue.with(" ", for: "_")) }
  }

  private static let events = Column<TraceResult>("events", "number of events in the analyzed span") {
    $0.events
  }
  .headed("Events", at: 4, in: .page)
  private static let lostEvents = Column<TraceResult>(
    "lost_events", "number of events that the recorder dropped"
  ) {
    $0.lostEvents
  }.compared(.recording).headed("Lost events", at: 5, in: .page)
  private static let clean = Column<TraceResult>(
    "clean", "whether the file was closed properly and is undamaged"
  ) { $0.clean }
  .headed("Closed properly and undamaged", at: 6, in: .page)
  private static let captureLevel = Column<TraceResult>("capture_level", "activities, callouts …") {
    $0.captureLevel.name
  }.headed("Capture level", at: 7, in: .page)

  /// The facts of each trace that a comparison shows.
  package static let outline = [events, lostEvents, clean, captureLevel]

  package static let trace = ResultTable<TraceResult>("trace", "facts of the recording") {
    events
    lostEvents
    Column("lost_to_full_disk", "lost events for which the disk had no room") { $0.lostToFullDisk }
    Column(Heading("Analyzed span", at: 2, in: .page)) { $0.toNs &- $0.fromNs }.shown(as: .time)
    Column("duration_ns", "time from the origin to the last event or sync point") { $0.durationNs }
      .headed("Length of the recording", at: 3, in: .page)
    Column("from_ns", "start of the analyzed span") { $0.fromNs }
    Column("to_ns", "end of the analyzed span") { $0.toNs }
    Column("start_realtime_ns", "wall-clock time of the origin, since 1970") { $0.startRealtimeNs }
    clean
    captureLevel
    Column("time_unit_ns", "resolution of all times") { $0.timeUnitNs }
      .headed("Time unit", at: 9, in: .page)
    Column("high_stamps", "whether activities have low and high stamps") { $0.hasHighStamps }
      .headed("Low and high stamps", at: 8, in: .page)
    Column("unknown_events", "number of events of unknown kinds, which are skipped") { $0.unknownEvents }
      .headed("Unknown events", at: 12, in: .page)
    Column("unknown_blocks", "number of blocks of unknown types, which are skipped") { $0.unknownBlocks }
    Column("damaged_blocks", "number of damaged blocks, which are skipped") { $0.damagedBlocks }.headed(
      "Damaged blocks", at: 13, in: .page)
    Column("unfollowed", "number of events of timers, runs and callouts beyond the limits of the analysis") {
      $0.unfollowed
    }
    Column(
      "contradictions",
      "number of events that no run loop produces, undefined names and wrong index entries; `rltrace validate` lists them"
    ) { $0.contradictions }.headed("Contradictions", at: 14, in: .page)
    Column("first_contradiction_ns", "first such event; null = there is none, or only the index is wrong") {
      $0.firstContradiction?.timeNs
    }
    Column("suspended_ns", "time in which the process did not run") { $0.suspendedNs }
      .headed("Suspended", at: 10, in: .page)
    Column("late_beats", "late beats of the recorder while the program ran") { $0.lateBeats }
      .headed("Late beats while the program ran", at: 11, in: .page)
    Column("slept_besides_ns", "time in which the system slept and the trace's clock stood still") {
      $0.sleptOffClockNs
    }
    Column.writtenBy { $0.writer }
    Column("suspensions_omitted", "number of suspensions that are not listed", in: .document) {
      $0.suspensionsOmitted
    }
    Column.rows(suspensions) { $0.suspensions }
    Column.rows(threads) { $0.threads }
  }

  package typealias Fact = (key: String, value: Value)

  /// The facts as a table with one row each.
  package static let facts = ResultTable<Fact>("trace", "facts of the recording, one row each") {
    Column("key", "name of the fact") { $0.key }
    Column("value", "value of the fact", .any) { $0.value }
  }

  package static func rows(_ trace: TraceResult) -> [Fact] {
    self.trace.any.tableColumns.map { ($0.name, AnyRow.with(trace, $0.value)) }
  }
}
