import TraceAnalysis
import TraceTables

/// A part of an analysis for people: its text, and its table on the page.
struct ReportPart: Sendable {
  /// The section of the page for the table; its name in the template is, for example, `modesTables`.
  enum Section: String, CaseIterable { case stalls, modes, latencies, timers, gaps, load, facts }

  var section: Section?
  var text: @Sendable (AnalysisText) -> [String] = { _ in [] }
  /// Returns the table; nil = the page shows nothing.
  var table: @Sendable (inout ReportTables) -> Table? = { _ in nil }

  /// All parts in the order of the text. Each section of the page uses the same order.
  static let all: [ReportPart] = [
    ReportPart(section: .modes) {
      $0.section("Modes", $0.table(LoopTables.modes, $0.modes))
    } table: {
      $0.table(LoopTables.modes, "Modes: time, passes, and how busy the loop was", $0.analysis.modes)
    },
    ReportPart(section: .modes) {
      $0.section("Contents of the run loops, from the recorder's snapshots", $0.inventory())
    } table: {
      $0.table(
        InventoryTables.inventory, "Inventory: contents of the run loops, from the recorder's snapshots",
        $0.analysis.inventory, limit: 1000,
        "more items are not in this table; \(Hint.analyzeJSON)."
      )
    },
    ReportPart(section: .modes) {
      $0.section("Runs of these loops, by reason for returning", $0.runs())
    } table: {
      $0.analysis.snapshots.isEmpty
        ? nil
        : $0.table(InventoryTables.runs, "Runs, by reason for returning", $0.analysis.runs)
    },
    ReportPart(section: .latencies) {
      $0.section("Pass duration and wake-to-callout", $0.latencies())
    } table: {
      $0.latencies()
    },
    ReportPart { $0.section("Responsiveness", $0.responsiveness()) },
    ReportPart(section: .timers) {
      $0.section("Timers", $0.timers())
    } table: {
      $0.table(
        TimerTables.timers, "Timers: outcome of their due points", placed: $0.timersInTrouble)
    },
    ReportPart(section: .timers) {
      $0.section(
        "Due points, by the mode in which they came due",
        $0.table(TimerTables.timerModes, TimerTables.modeRows($0.ranked), limit: 2 * AnalysisText.shown))
    } table: {
      $0.duePointsByMode()
    },
    ReportPart(section: .timers) {
      $0.section("Lateness of timers, by cause", $0.lateness())
    } table: {
      $0.causes()
    },
    ReportPart(section: .gaps) {
      $0.section("Gaps of \(Units.duration($0.gapThresholdNs)) and above", $0.gaps())
    } table: {
      $0.table(
        SpanTables.gaps, "Gaps: time between two activities of a loop, waiting excluded",
        placed: $0.longestFirst(SpanTables.gaps.name, $0.analysis.gaps, by: \.durationNs),
        omitted: $0.analysis.gapsOmitted, "shorter gaps are not listed.")
    },
    ReportPart(section: .stalls) {
      $0.section(
        "Code that held the loop, by sampled stacks",
        $0.table(StackTables.stalls, $0.longestFirst($0.analysis.stalls)))
    } table: {
      $0.table(
        StackTables.stalls, "Stalls, by sampled stacks", $0.analysis.stalls
      )
    },
    ReportPart { $0.section("Owners of locks and queues", $0.locks()) },
    ReportPart {
      $0.section("Callouts that were running at the end", $0.runningAtEnd())
    },
    ReportPart(section: .gaps) {
      $0.section("Busy intervals", $0.busy())
    } table: {
      $0.table(
        SpanTables.busy, "Busy intervals: time of a loop without a wait",
        placed: $0.longestFirst(SpanTables.busy.name, $0.analysis.busy, by: \.durationNs),
        omitted: $0.analysis.busyOmitted, "shorter busy intervals are not listed."
      )
    },
    ReportPart(section: .gaps) {
      $0.section("Reports that stall monitors would make", $0.detectors())
    } table: {
      $0.table(
        StallTables.detectors, "Reports that stall monitors would make", $0.analysis.detectors
      )
    },
    ReportPart(
      section: .load,
      table: {
        $0.table(LoopTables.utilisation, "Utilisation by thread", $0.analysis.utilisation)
      }),
    ReportPart(section: .load) {
      $0.section("Callouts, by time", $0.table(CalloutTables.callouts, $0.callouts, limit: 8))
    } table: {
      $0.table(
        CalloutTables.callouts, "Callouts, by time", $0.analysis.callouts, limit: 100,
        "callouts with less time are not in this table; \(Hint.analyzeJSON).")
    },
    ReportPart(section: .load) {
      $0.section("Waits", $0.waits())
    } table: {
      $0.sources()
    },
    ReportPart(section: .load) {
      $0.section(
        "Work that was queued and never ran", $0.table(UnservedTables.unserved, $0.analysis.unserved))
    } table: {
      $0.table(
        UnservedTables.unserved, "Work that was queued and never ran", $0.analysis.unserved, limit: 100,
        "rows with shorter waits are not in this table; \(Hint.analyzeJSON).")
    },
    ReportPart(section: .load) {
      $0.section("Intervals of the program", $0.table(MarkTables.intervalNames, $0.analysis.marks.byName))
    } table: {
      $0.table(
        MarkTables.intervalNames, id: "intervals", "Intervals of the program, by name",
        $0.analysis.marks.byName
      )
    },
    ReportPart(section: .load) {
      $0.section("Marks of the program", $0.marks())
    } table: {
      // The timeline shows all listed marks.
      $0.table(
        MarkTables.marks, "Marks of the program", $0.analysis.marks.marks, limit: 1000,
        omitted: $0.analysis.marks.marksOmitted, "later marks are not listed."
      )
    },
    ReportPart(
      section: .facts,
      table: {
        $0.analysis.end.kind == .notRecorded
          ? nil
          : $0.table(EndTables.end, "The end of the process", placed: [($0.analysis.end, EndTables.end.name)])
      }),
    ReportPart(
      section: .facts,
      table: {
        $0.analysis.end.isWorthReporting
          ? $0.table(
            EndTables.callouts, "Callouts that were running at the end", $0.analysis.end.callouts, limit: 100,
            "more callouts are not in this table; \(Hint.analyzeJSON).")
          : nil
      }),
    ReportPart(section: .facts) {
      $0.section("Life cycle", $0.lifeCycle())
    } table: {
      $0.table(
        LifeTables.phases, id: LifeTables.life.name, "Life cycle, as reported by the app",
        $0.analysis.lifeCycle.phases, at: LifeTables.life.name)
    },
    ReportPart(
      section: .facts,
      table: {
        $0.table(
          RecordingTables.suspensions, "Suspensions: the process did not run", $0.analysis.trace.suspensions,
          at: RecordingTables.trace.name, omitted: $0.analysis.trace.suspensionsOmitted,
          "shorter suspensions are not listed.")
      }),
    ReportPart { text in
      text.section("Limits of this recording", text.analysis.notes.flatMap { text.wrap($0.text) })
    },
  ]
}
