import Foundation
import JudgementReport
import PageReport
import ReportWriting
import TestSupport
import TextReport
import TraceAnalysis
import TraceComparison
import TraceCompression
import TraceExchange
import TraceFormat
import TraceGate
import TraceReplay
import TraceTables
import TraceValidation
import WhatIf

/// Creates every output of a trace, and collects the errors in them.
struct EveryOutput {
  /// The limit on the total output: a constant, plus an amount for each byte of the trace. The usual output is
  /// smaller.
  static let bytesAtLeast = 4 << 20
  static let bytesPerByte = 4_000

  private let trace: [UInt8]
  private(set) var complaints: [String] = []
  private var written = 0

  /// Throws an error if the trace is invalid. Such an error is not a complaint.
  init(_ trace: [UInt8]) throws {
    self.trace = trace
    let reader = try open()
    let validation = try Validation(open(), limit: 20)
    lines(ValidationText(validation, reader).lines(file: "x"), "validate")
    json(
      try ValidationJSON.document.encode([ValidationJSON.Entry(file: "x", reader, validation)]), "validate")
    lines(TraceInfo(reader).lines(file: "x"), "info")
    let base = try analyze()
    try compare(base)
    try gate(base.analysis)
    try export()
    try exportTimelines()
    try dump()
    try redact()
    predict()
    let limit = EveryOutput.bytesAtLeast + EveryOutput.bytesPerByte * trace.count
    if written > limit { complaints.append("\(written) bytes of output for \(trace.count) of trace") }
  }

  private func open() throws -> TraceReader {
    try TraceReader(source: MemorySource(trace), codecs: allCodecs)
  }

  // MARK: Outputs

  private typealias Analyzed = (analysis: Analysis, timeline: TimelineBuilder, names: TraceNames)

  private mutating func analyze() throws -> Analyzed {
    let reader = try open()
    var options = AnalysisOptions()
    options.replay.detectors = Detector.all
    options.profile = Profile.named.first
    let timeline = TimelineBuilder(reader)
    options.sink = timeline
    let analysis = try TraceAnalyzer(reader, options: options).analyze()
    for width in [60, 100] {
      let style = TextStyle(isColoured: false, width: width)
      lines(AnalysisText(analysis, gapThresholdNs: 250_000_000, style: style).lines(file: "x"), "text")
    }
    json(try AnalysisJSON.encode([("x", analysis)]), "analysis")
    page(try HTMLReport(reader, file: "x").render(analysis, timeline: timeline), "page")
    written += PprofProfile(analysis).bytes.count
    for snapshot in analysis.snapshots.prefix(3) {
      let place = DumpPlace(file: "x", snapshot: snapshot)
      let text = TopologyText(snapshot.topology, place, style: TextStyle(isColoured: false)) { $0 }
      lines(text.lines(), "topology")
      var document = ""
      try TopologyJSON.document.write([(snapshot.topology, place)]) { document += $0 }
      json(document, "topology")
    }
    return (analysis, timeline, TraceNames(reader))
  }

  private mutating func compare(_ base: Analyzed) throws {
    let options = Comparison.options(AnalysisOptions(), relevant: .standard)
    let own = try TraceAnalyzer(open(), options: options).analyze()
    let calm = try TraceAnalyzer(
      openTrace(SampleTraces.bytes(virtual: "pass-anatomy")), options: options
    ).analyze()
    for (first, second) in [(own, own), (own, calm), (calm, own)] {
      let comparison = Comparison(base: first, new: second, gapThresholdNs: 250_000_000)
      let text = ComparisonText(comparison, showsAll: true, style: TextStyle(isColoured: false))
      lines(text.lines(baseFile: "x", newFile: "y"), "comparison")
      json(try ComparisonJSON.encode(comparison, baseFile: "x", newFile: "y"), "comparison")
      annotations(AnnotationReport(comparison, file: "y", root: root), "comparison")
    }
    let side = ComparisonPage.Side(file: "x", Glance(base.analysis, base.timeline, base.names))
    let comparison = Comparison(base: own, new: own, gapThresholdNs: 250_000_000)
    page(try ComparisonPage(comparison).html(side, side), "comparison's page")
  }

  private static let rules = [
    "max(busy) < 250ms", "skipped() == 0", "p99(lateness) < 20ms", "findings(severity=error) == 0",
    "utilisation() < 80%", "p90(pass) <= 1.1 * baseline", "count(gap, at_least=100ms) == 0",
  ].compactMap { try? RuleParser.parse($0) }

  private mutating func gate(_ analysis: Analysis) throws {
    let gated = GatedTrace(numbers: analysis, findings: analysis, spansFromNs: 250_000_000, problem: nil)
    let gate = Gate(EveryOutput.rules, trace: gated, baseline: .trace(gated))
    lines(GateText(gate, style: TextStyle(isColoured: false)).lines(), "gate")
    json(try GateJSON.document.encode([(gate, "x", "y", false)]), "gate")
    json(try GateSARIF.encode(gate, file: "x", root: root, version: "1"), "SARIF")
    text(GateMarkdown.text(gate, file: "x"), "Markdown")
    annotations(AnnotationReport(gate, file: "x", root: root), "gate")
    let xml = try GateJUnit.xml(gate, file: "x")
    text(xml, "JUnit")
    if xml.contains("<img") { complaints.append("JUnit: markup from the trace") }
  }

  private let root = SourceRoot("/", currentFolder: "/")

  /// Text of the trace must not begin a workflow command, or end one early.
  private mutating func annotations(_ report: AnnotationReport, _ what: String) {
    text(report.github, "\(what)'s annotations")
    json(report.gitlab, "\(what)'s code quality report")
    let lines = report.github.split(separator: "\n")
    if let line = lines.first(where: { $0.prefixMatch(of: #/::(?:error|warning|notice) /#) == nil }) {
      complaints.append("\(what): not an annotation: \(line.prefix(80))")
    }
  }

  private mutating func export() throws {
    for format in ExportFormat.allCases {
      let tables = ExportTable.allCases.filter { format.tables?.contains($0.name) ?? true }
      let reader = try open()
      var sinks: [(name: String, sink: MemorySink)] = []
      let exporter = try Exporter(tables, format: format, reader: reader) { name in
        sinks.append((name, MemorySink()))
        return sinks[sinks.count - 1].sink
      }
      var options = AnalysisOptions()
      options.sink = exporter
      try exporter.finish(file: "x", try TraceAnalyzer(reader, options: options).analyze())
      for (name, sink) in sinks { table(String(decoding: sink.bytes, as: UTF8.self), name, format.name) }
    }
  }

  private mutating func exportTimelines() throws {
    for format in TimelineFormat.allCases {
      let reader = try open()
      let sink = MemorySink()
      let exporter = TimelineExporter(
        format, reader: reader, name: "x", maximum: format.usualSlices, to: sink)
      var options = AnalysisOptions()
      options.sink = exporter.sink
      guard case .written = try exporter.finish(TraceAnalyzer(reader, options: options).analyze()) else {
        continue
      }
      // The protobuf format is binary.
      if sink.bytes.first == UInt8(ascii: "{") {
        if String(validating: sink.bytes, as: UTF8.self) == nil {
          complaints.append("\(format.name): not UTF-8")
        }
        parse(String(decoding: sink.bytes, as: UTF8.self), format.name)
      }
      written += sink.bytes.count
    }
  }

  private mutating func table(_ content: String, _ name: String, _ format: String) {
    let content = content.replacing("\r\n", with: "\n")
    text(content, name)
    guard name != "README.txt" else { return }
    for line in content.split(separator: "\n") {
      if format == "jsonl" { parse(String(line), name) }
      if format == "csv", line.firstMatch(of: #/(?:^|,)"?(?:=cmd|@SUM|\+1)/#) != nil {
        complaints.append("\(name): a formula: \(line.prefix(80))")
      }
    }
  }

  /// Predicts changes of each named item. Most invalid traces are undecided.
  private mutating func predict() {
    guard let reader = try? open(), reader.eventCount < 100_000, let predictor = try? Predictor(reader) else {
      return
    }
    // A change cannot name an item with an empty name.
    let names = Set(reader.strings.values).subtracting([""]).sorted().prefix(4).filter { !$0.contains("\"") }
    let changes =
      ["nothing"]
      + names.flatMap {
        ["timer \"\($0)\" in common", "callout \"\($0)\" takes x 1000", "split \"\($0)\" at 1ms"]
      }
    for text in changes {
      guard let change = try? ChangeParser.read(text) else {
        complaints.append("what-if cannot read \(text)")
        continue
      }
      let sink = MemorySink()
      guard (try? predictor.predict([change], to: sink, codec: NoCodec())) != nil else { continue }
      if (try? TraceReader(source: MemorySource(sink.bytes), codecs: allCodecs))?.isClean != true {
        complaints.append("\(text): the predicted trace is not clean")
      }
    }
  }

  private mutating func dump() throws {
    let first = try dumpTrace(open())
    // A dump may contain any time.
    scan(first, "dump", allowing: ["\n", "\t"])
    let again = try dumpTrace(openTrace(assembleTrace(first)))
    if again != first { complaints.append("dump, assemble, dump: not the same text") }
  }

  private mutating func redact() throws {
    let redacted = try redactTrace(open())
    let copy = try TraceAnalyzer(redacted).analyze()
    let content = try dumpTrace(redacted)
    for name in ["alert(7)", "=cmd()"] where content.contains(name) {
      complaints.append("redacted: \(name) is still there")
    }
    json(try AnalysisJSON.encode([("x", copy)]), "redacted")
  }

  // MARK: Checks

  private mutating func lines(_ lines: [String], _ what: String) {
    for line in lines { scan(line, what, allowing: []) }
    seconds(lines.joined(separator: "\n"), what)
  }

  private mutating func text(_ text: String, _ what: String) {
    scan(text, what, allowing: ["\n", "\t"])
    seconds(text, what)
  }

  private mutating func json(_ text: String, _ what: String) {
    scan(text, "\(what) (JSON)", allowing: ["\n"])
    parse(text, what)
  }

  private mutating func page(_ text: String, _ what: String) {
    scan(text, what, allowing: ["\n", "\t"])
    if text.contains("<img src=x") { complaints.append("\(what): markup from the trace") }
    if text.ranges(of: "<script").count != text.ranges(of: "</script").count {
      complaints.append("\(what): text of the trace closes a script")
    }
  }

  private mutating func parse(_ text: String, _ what: String) {
    do {
      _ = try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
    } catch {
      complaints.append("\(what): not JSON: \(error)")
    }
  }

  /// Checks that the text contains no characters that move the cursor or reverse text.
  private mutating func scan(_ text: String, _ what: String, allowing: Set<Unicode.Scalar>) {
    written += text.utf8.count
    let scalars = text.unicodeScalars
    guard let bad = scalars.firstIndex(where: { $0.visible != $0 && !allowing.contains($0) }) else { return }
    let code = String(scalars[bad].value, radix: 16, uppercase: true)
    complaints.append("\(what): a raw U+\(code) after \"\(String(scalars[..<bad].suffix(60)))\"")
  }

  /// Checks for negative differences that wrapped around: they are printed as more than five centuries in seconds.
  private mutating func seconds(_ text: String, _ what: String) {
    let lines = text.split(separator: "\n").lazy.filter { $0.utf8.count < 1_000 && $0.contains("184467440") }
    guard let line = lines.first(where: { $0.firstMatch(of: #/184467440\d\d[^\n]{0,20} s\b/#) != nil }) else {
      return
    }
    complaints.append("\(what): \(line)")
  }
}
