import TraceAnalysis

/// The README.txt beside exported tables.
enum DataDictionary {
  static func text(file: String, format: ExportFormat, records: RecordTables, notes: [String]) -> String {
    let form =
      format == .csv
      ? [
        "Comma-separated values after RFC 4180, UTF-8. An empty cell: the recording does not know.",
        "Control characters in names are replaced by U+FFFD; a text that begins with = + - or @ has a ' in front, so",
        "that no spreadsheet takes it for a formula.",
      ] : ["One JSON object a line, UTF-8. null: the recording does not know."]
    var lines = ["Tables of \(harmless(file, limit: 500)), written by rltrace.", ""]
    lines += form
    lines += [
      "",
      "Numbers are plain integers; names ending in _ns are nanoseconds, moments count from the trace's origin.",
      "A column's name is the path of the key in `rltrace analyze --format json`, which docs/analysis.md defines.",
    ]
    for part in [
      TraceTables.facts.dictionary, records.passes.dictionary, LoopTables.modes.dictionary,
      SpanTables.gaps.dictionary, SpanTables.busy.dictionary, TimerTables.timers.dictionary,
      TimerTables.timerModes.dictionary,
      records.timerFires.dictionary, CalloutTables.callouts.dictionary,
      MarkTables.marks.dictionary, MarkTables.intervals.dictionary, MarkTables.intervalNames.dictionary,
      FindingTables.findings.dictionary,
    ] { lines += part }
    if !notes.isEmpty { lines += ["", "What this recording cannot tell, and which limits were met:", ""] }
    lines += notes.map { "  " + harmless($0, limit: 500) }
    return lines.joined(separator: "\n") + "\n"
  }
}
