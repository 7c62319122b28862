import CallStacks

/// Reports in JSON. Their keys determine the kind.
enum JSONReports {
  /// Reads a JSON text. `line`: the number of its first line.
  static func read(_ text: [UInt8], line: Int) throws(BacktraceError) -> Backtrace {
    if let events = try SentryEnvelope.events(of: text, line: line) {
      return try SeveralReports.read(events) { tree throws(BacktraceError) in
        try read(tree) { tree throws(BacktraceError) in
          try SentryEvent.read(JSONValue(tree: tree, node: tree.documents[0]))
        }
      }
    }
    return try read(try JSONTree(text, line: line)) { tree throws(BacktraceError) in
      try read(tree, line: line)
    }
  }

  /// Reads as much of truncated JSON as exists, and notes that it was truncated.
  private static func read(
    _ tree: JSONTree, _ read: (JSONTree) throws(BacktraceError) -> Backtrace
  ) throws(BacktraceError) -> Backtrace {
    do throws(BacktraceError) {
      var trace = try read(tree)
      if let cut = tree.cut { trace.notes.insert("the text is cut off: \(cut.what)", at: 0) }
      return trace
    } catch {
      // Without its end, the text may be of any kind.
      throw tree.cut ?? error
    }
  }

  private static func read(_ tree: JSONTree, line: Int) throws(BacktraceError) -> Backtrace {
    let documents = tree.documents.map { JSONValue(tree: tree, node: $0) }
    guard let first = documents.first else { throw BacktraceError(line, "the JSON has no value") }
    if let lines = lines(of: first) { return try BacktraceReader.read(lines: lines) }
    let diagnostics = MetricKitReport.diagnostics(documents)
    if !diagnostics.isEmpty { return try MetricKitReport.read(diagnostics) }
    // Lists of reports, or one report per line.
    let inner = documents + documents.flatMap { ($0.elements ?? []).filter(\.isObject) }
    for kind in kinds {
      let reports = inner.filter(kind.isOne)
      if !reports.isEmpty { return try SeveralReports.read(reports, kind.read) }
    }
    // Each report with the document before it as its header.
    let reports = zip([nil] + documents, documents).filter { $1["threads"]?.elements != nil }
    if !reports.isEmpty {
      return try SeveralReports.read(reports) { report throws(BacktraceError) in
        try IPSReport.read(report.1, header: report.0)
      }
    }
    if let type = first["bug_type"] {
      let name = type.text ?? "?"
      guard documents.count > 1 else {
        throw BacktraceError(
          first.line, "no report follows this header of an .ips report of bug_type \(name)")
      }
      throw BacktraceError(
        documents[1].line,
        "this .ips report of bug_type \(name) has no list of threads; rltrace reads crashes and hangs")
    }
    throw BacktraceError(
      first.line,
      "unknown kind of JSON; rltrace reads .ips, MetricKit, KSCrash, Sentry and Swift's own")
  }

  private static let kinds: [any JSONReport.Type] = [SwiftJSON.self, KSCrashReport.self, SentryEvent.self]

  /// Returns the lines of a list of strings, as a program prints `Thread.callStackSymbols`.
  private static func lines(of value: JSONValue) -> [Line]? {
    guard let elements = value.elements, !elements.isEmpty else { return nil }
    let texts = elements.compactMap(\.text)
    guard texts.count == elements.count else { return nil }
    return zip(elements, texts).map { Line(number: $0.line, text: $1[...]) }
  }
}

/// A kind of report that is one JSON value.
protocol JSONReport: SendableMetatype {
  /// Returns whether the value is a report of this kind.
  static func isOne(_ value: JSONValue) -> Bool
  static func read(_ report: JSONValue) throws(BacktraceError) -> Backtrace
}
