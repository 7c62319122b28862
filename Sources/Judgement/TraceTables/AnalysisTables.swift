import TraceAnalysis

/// The tables of an analysis.
package enum AnalysisTables {
  /// All results of an analysis as one document.
  package static let document = ResultTable<Analysis>("results", "results of an analysis") {
    Column.row(RecordingTables.trace) { $0.trace }
    Column.row(EndTables.end) { $0.end }
    Column.rows(EndTables.callouts) { $0.end.callouts }
    Column.rows(LoopTables.loops) { $0.loops }
    Column.rows(LoopTables.modes) { $0.modes }
    Column.rows(LoopTables.emptyRuns) { $0.emptyRuns }
    Column.rows(InventoryTables.runs) { $0.runs }
    Column.rows(InventoryTables.snapshots) { $0.snapshots }
    Column("snapshots_omitted", "number of snapshots beyond the limit, which are not listed") {
      $0.snapshotsOmitted
    }
    Column.rows(InventoryTables.inventory) { $0.inventory }
    Column.rows(SpanTables.gaps) { $0.gaps }
    Column.rows(StackTables.stalls) { $0.stalls }
    Column.rows(StackTables.sampledStacks) { $0.sampledStacks }
    Column.rowsIfAny(StackTables.sampledFunctions) { $0.functions }
    Column("gaps_omitted", "number of gaps above the threshold that are not listed") { $0.gapsOmitted }
    Column.rows(SpanTables.busy) { $0.busy }
    Column("busy_omitted", "number of busy intervals of 100 ms and above that are not listed") {
      $0.busyOmitted
    }
    Column.rows(TimerTables.timers) { $0.timers }
    Column.rowsIfAny(FrameTables.sources) { $0.frames.sources }
    Column.rowsIfAny(FrameTables.hitches) { $0.frames.hitches }
    Column.countIfAny("hitches_omitted", "number of hitches that are not listed; absent if 0") {
      $0.frames.hitchesOmitted
    }
    Column.rows(CalloutTables.callouts) { $0.callouts }
    Column.rows(CalloutTables.sources) { $0.sources }
    Column.row(CalloutTables.queues) { $0.queues }
    Column.rowsIfAny(WorkTables.queues) { $0.work.queues }
    Column.rowsIfAny(WorkTables.tasks) { $0.work.tasks }
    Column.countIfAny("tasks_omitted", "number of tasks that had not ended and have no row; absent if 0") {
      $0.work.tasksOmitted
    }
    Column.rows(UnservedTables.unserved) { $0.unserved }
    Column("unserved_omitted", "number of pieces of unserved work that have no row") { $0.unservedOmitted }
    Column.rows(LoopTables.utilisation) { $0.utilisation }
    Column.row(LoopTables.inputDelay, ifAny: { $0.inputDelay })
    Column.row(LifeTables.life) { $0.lifeCycle }
    Column.rows(MarkTables.marks) { $0.marks.marks }
    Column("marks_omitted", "number of marks that are not listed") { $0.marks.marksOmitted }
    Column.rows(MarkTables.intervals) { $0.marks.intervals }
    Column("intervals_omitted", "number of intervals that are not listed") { $0.marks.intervalsOmitted }
    Column.rows(MarkTables.intervalNames) { $0.marks.byName }
    Column.rowsIfAny(StateTables.states) { $0.states }
    Column.rowsIfAny(StateTables.values) { $0.split?.values ?? [] }
    Column.rowsIfAny(StateTables.modes) { $0.split?.modes ?? [] }
    Column.rowsIfAny(StateTables.timers) { $0.split?.timers ?? [] }
    Column.rowsIfAny(StateTables.frames) { $0.split?.frames ?? [] }
    Column.rowsIfAny(StateTables.callouts) { $0.split?.callouts ?? [] }
    Column.rows(StallTables.detectors) { $0.detectors }
    Column.rows(StallTables.incidents) { analysis in
      analysis.incidents.map { ($0, analysis.detectors.map(\.name)) }
    }
    Column.rows(FindingTables.findings) { $0.findings }
    Column.row(FindingTables.verdict) { $0.verdict }
    Column("profile", "name of the profile; null = none was given") { $0.profile?.name }
    Column("notes", "limits of what the recording shows, with the reasons") { $0.noteTexts }
  }
}

/// The exported tables, in the order in which every list shows them.
extension ExportTable: Named {
  package static let allCases = [
    ExportTable(RecordingTables.facts) { RecordingTables.rows($0.trace) },
    ExportTable(EndTables.end) { [$0.end] },
    ExportTable(EndTables.callouts) { $0.end.callouts },
    ExportTable(RecordTables.passes, .passes(RecordTables.passes.cells)),
    ExportTable(LoopTables.modes) { $0.modes },
    ExportTable(InventoryTables.inventory) { $0.inventory },
    ExportTable(SpanTables.gaps, dependsOnGaps: true) { $0.gaps },
    ExportTable(StackTables.stalls, dependsOnGaps: true) { $0.stalls },
    ExportTable(StackTables.sampledStacks) { $0.sampledStacks },
    ExportTable(StackTables.sampledFunctions, dependsOnGaps: true) { $0.functions },
    ExportTable(SpanTables.busy) { $0.busy },
    ExportTable(TimerTables.timers) { $0.timers },
    ExportTable(TimerTables.timerModes) { TimerTables.modeRows($0.timers) },
    ExportTable(RecordTables.timerFires, .points(RecordTables.timerFires.cells)),
    ExportTable(FrameTables.sources) { $0.frames.sources },
    ExportTable(FrameTables.hitches) { $0.frames.hitches },
    ExportTable(CalloutTables.callouts) { $0.callouts },
    ExportTable(WorkTables.queues) { $0.work.queues },
    ExportTable(WorkTables.tasks) { $0.work.tasks },
    ExportTable(UnservedTables.unserved) { $0.unserved },
    ExportTable(MarkTables.marks) { $0.marks.marks },
    ExportTable(MarkTables.intervals) { $0.marks.intervals },
    ExportTable(MarkTables.intervalNames) { $0.marks.byName },
    ExportTable(StateTables.states) { $0.states },
    ExportTable(StateTables.values, dependsOnState: true) { $0.split?.values ?? [] },
    ExportTable(StateTables.modes, dependsOnState: true) { $0.split?.modes ?? [] },
    ExportTable(StateTables.timers, dependsOnState: true) { $0.split?.timers ?? [] },
    ExportTable(StateTables.frames, dependsOnState: true) { $0.split?.frames ?? [] },
    ExportTable(StateTables.callouts, dependsOnState: true) { $0.split?.callouts ?? [] },
    ExportTable(FindingTables.findings, dependsOnGaps: true) { $0.findings },
    ExportTable(FindingTables.subjectsOfFindings, dependsOnGaps: true) {
      FindingTables.subjects(of: $0.findings)
    },
  ]
}
