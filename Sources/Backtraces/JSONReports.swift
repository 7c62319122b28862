import CallStacks

/// Reports that are JSON: which one, its keys say.
enum JSONReports {
  /// `line`: of the text's first.
  static func read(_ text: [UInt8], line: Int) throws(BacktraceError) -> Backtrace {
    let tree = try JSONTree(text, line: line)
    do throws(BacktraceError) { return try read(tree, line: line) } catch {
      // Without its end, it may be anything.
      throw tree.cut ?? error
    }
  }

  private static func read(_ tree: JSONTree, line: Int) throws(BacktraceError) -> Backtrace {
    let documents = tree.documents.map { JSONValue(tree: tree, node: $0) }
    guard let first = documents.first else { throw BacktraceError(line, "JSON without a value") }
    var builder = BacktraceBuilder()
    if let cut = tree.cut { builder.note("the text is cut off: \(cut.what)") }
    if let lines = lines(of: first) { return try BacktraceReader.read(lines: lines) }
    let diagnostics = MetricKitReport.diagnostics(documents)
    if !diagnostics.isEmpty { return try MetricKitReport.read(diagnostics, &builder) }
    if first["kind"]?.text == "crashReport" { return try SwiftJSON.read(first, &builder) }
    // Lists of reports, and envelopes of lines.
    let inner = documents + documents.flatMap { ($0.elements ?? []).filter(\.isObject) }
    if let report = inner.first(where: KSCrashReport.isOne) {
      return try KSCrashReport.read(report, &builder)
    }
    if let event = inner.first(where: SentryEvent.isOne) { return try SentryEvent.read(event, &builder) }
    if let report = documents.first(where: { $0["threads"]?.elements != nil }) {
      return try IPSReport.read(report, header: documents.count > 1 ? first : nil, &builder)
    }
    if let type = first["bug_type"] {
      let name = type.text ?? "?"
      guard documents.count > 1 else {
        throw BacktraceError(
          first.line, "the header of an .ips report of bug_type \(name), but no report behind it")
      }
      throw BacktraceError(
        documents[1].line,
        "an .ips report of bug_type \(name), which has no list of threads; read are crashes and hangs")
    }
    throw BacktraceError(
      first.line,
      "JSON of a kind that is not read; read are .ips, MetricKit, KSCrash, Sentry and Swift's own")
  }

  /// A list of texts, as a program prints `Thread.callStackSymbols`.
  private static func lines(of value: JSONValue) -> [Line]? {
    guard let elements = value.elements, !elements.isEmpty else { return nil }
    let texts = elements.compactMap(\.text)
    guard texts.count == elements.count else { return nil }
    return zip(elements, texts).map { Line(number: $0.line, text: $1[...]) }
  }
}
