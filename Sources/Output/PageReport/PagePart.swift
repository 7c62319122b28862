import ReportWriting
import TraceAnalysis
import TraceTables

/// A table of the page, and its section.
struct PagePart: Sendable {
  /// The section for the table; its name in the template is, for example, `modesTables`.
  enum Section: String, CaseIterable { case stalls, modes, latencies, timers, gaps, load, facts }

  let section: Section
  /// Returns the table; nil = the page shows nothing.
  let table: @Sendable (inout ReportTables) -> Table?

  /// All parts. Each section has its tables in this order, which is that of the text (`AnalysisText.sections`).
  static let all: [PagePart] = [
    PagePart(section: .modes) {
      $0.table(LoopTables.modes, "Modes: time, passes, and how busy the loop was", $0.analysis.modes)
    },
    PagePart(section: .modes) {
      $0.table(
        InventoryTables.inventory, "Inventory: contents of the run loops, from the recorder's snapshots",
        $0.analysis.inventory, limit: 1000,
        "more items are not in this table; \(Hint.analyzeJSON)."
      )
    },
    PagePart(section: .modes) {
      $0.analysis.snapshots.isEmpty
        ? nil
        : $0.table(InventoryTables.runs, "Runs, by reason for returning", $0.analysis.runs)
    },
    PagePart(section: .latencies) {
      $0.latencies()
    },
    PagePart(section: .timers) {
      $0.table(
        TimerTables.timers, "Timers: outcome of their due points", placed: $0.timersInTrouble)
    },
    PagePart(section: .timers) {
      $0.duePointsByMode()
    },
    PagePart(section: .timers) {
      $0.causes()
    },
    PagePart(section: .timers) {
      $0.analysis.frames.sources.isEmpty
        ? nil
        : $0.table(
          FrameTables.sources, "Frames, without the time of a render server", $0.analysis.frames.sources)
    },
    PagePart(section: .timers) {
      $0.analysis.frames.hitches.isEmpty
        ? nil
        : $0.table(
          FrameTables.hitches, "Hitches, longest first", $0.analysis.frames.hitches,
          omitted: Int(clamping: $0.analysis.frames.hitchesOmitted), "shorter hitches are not listed.")
    },
    PagePart(section: .gaps) {
      $0.table(
        SpanTables.gaps, "Gaps: time between two activities of a loop, waiting excluded",
        placed: $0.longestFirst(SpanTables.gaps.name, $0.analysis.gaps, by: \.durationNs),
        omitted: $0.analysis.gapsOmitted, "shorter gaps are not listed.")
    },
    PagePart(section: .stalls) {
      $0.table(
        StackTables.stalls, "Stalls, by sampled stacks", $0.analysis.stalls
      )
    },
    PagePart(section: .gaps) {
      $0.table(
        SpanTables.busy, "Busy intervals: time of a loop without a wait",
        placed: $0.longestFirst(SpanTables.busy.name, $0.analysis.busy, by: \.durationNs),
        omitted: $0.analysis.busyOmitted, "shorter busy intervals are not listed."
      )
    },
    PagePart(section: .gaps) {
      $0.table(
        StallTables.detectors, "Reports that stall monitors would make", $0.analysis.detectors
      )
    },
    PagePart(section: .load) {
      $0.table(LoopTables.utilisation, "Utilisation by thread", $0.analysis.utilisation)
    },
    PagePart(section: .load) {
      $0.table(
        CalloutTables.callouts, "Callouts, by time", $0.analysis.callouts, limit: 100,
        "callouts with less time are not in this table; \(Hint.analyzeJSON).")
    },
    PagePart(section: .load) {
      $0.sources()
    },
    PagePart(section: .load) {
      $0.analysis.work.queues.isEmpty
        ? nil
        : $0.table(
          WorkTables.queues, "Queues of work", $0.analysis.work.queues, limit: 100,
          "queues with less run time are not in this table; \(Hint.analyzeJSON).")
    },
    PagePart(section: .load) {
      $0.analysis.work.tasks.isEmpty
        ? nil
        : $0.table(
          WorkTables.tasks, "Tasks that had not ended", $0.analysis.work.tasks, limit: 100,
          "tasks that stayed less long are not in this table; \(Hint.analyzeJSON).")
    },
    PagePart(section: .load) {
      $0.table(
        UnservedTables.unserved, "Work that was queued and never ran", $0.analysis.unserved, limit: 100,
        "rows with shorter waits are not in this table; \(Hint.analyzeJSON).")
    },
    PagePart(section: .load) {
      $0.table(
        MarkTables.intervalNames, id: "intervals", "Intervals of the program, by name",
        $0.analysis.marks.byName
      )
    },
    PagePart(section: .load) {
      // The timeline shows all listed marks.
      $0.table(
        MarkTables.marks, "Marks of the program", $0.analysis.marks.marks, limit: 1000,
        omitted: $0.analysis.marks.marksOmitted, "later marks are not listed."
      )
    },
    PagePart(section: .load) {
      $0.analysis.states.isEmpty
        ? nil : $0.table(StateTables.states, "States of the program, by value", $0.analysis.states)
    },
    PagePart(section: .facts) {
      $0.analysis.end.kind == .notRecorded
        ? nil
        : $0.table(EndTables.end, "The end of the process", placed: [($0.analysis.end, EndTables.end.name)])
    },
    PagePart(section: .facts) {
      $0.analysis.end.isWorthReporting
        ? $0.table(
          EndTables.callouts, "Callouts that were running at the end", $0.analysis.end.callouts, limit: 100,
          "more callouts are not in this table; \(Hint.analyzeJSON).")
        : nil
    },
    PagePart(section: .facts) {
      $0.table(
        LifeTables.phases, id: LifeTables.life.name, "Life cycle, as reported by the app",
        $0.analysis.lifeCycle.phases, at: LifeTables.life.name)
    },
    PagePart(section: .facts) {
      $0.table(
        RecordingTables.suspensions, "Suspensions: the process did not run", $0.analysis.trace.suspensions,
        at: RecordingTables.trace.name, omitted: $0.analysis.trace.suspensionsOmitted,
        "shorter suspensions are not listed.")
    },
  ]
}
