import Foundation
import PageReport
import ReportWriting
import Scenario
import ScenarioRunners
import TestSupport
import Testing
import TextReport
import TraceAnalysis
import TraceFormat

/// Text, JSON and page have the same verdict, which is the first finding. The link of a finding leads to the time
/// that its words name.
@Suite struct VerdictEverywhereTests {
  @Test(arguments: SampleTraces.analyzable) func samples(sample: String) throws {
    #expect(try faults(ProjectFiles.bytes("SampleTraces/\(sample)")) == [])
  }

  @Test(.optimizedBuild) func randomTraces() throws {
    var random = SeededGenerator(named: "verdicts of model traces")
    var outcomes: [Verdict.Outcome: Int] = [:]
    for _ in 0..<TestRounds.value(200) {
      let seed = random.next() % 1_000_000_007
      let sink = MemorySink()
      _ = try VirtualRecording.record(
        RandomScenario(seed: seed).scenario, sink: sink, unit: .ns10, codec: NoCodec(), stepLimit: 3000)
      let found = try faults(sink.bytes) { outcomes[$0.outcome, default: 0] += 1 }
      guard found.isEmpty else {
        Issue.record("scenario \(seed): \(found.joined(separator: "\n")), \(TestSeed.note)")
        return
      }
    }
    #expect((outcomes[.fault] ?? 0) > 10 && (outcomes[.clear] ?? 0) > 10, "\(outcomes)")
  }

  private func faults(_ bytes: [UInt8], _ see: (Verdict) -> Void = { _ in }) throws -> [String] {
    let reader = try openTrace(bytes)
    var options = AnalysisOptions()
    let timeline = TimelineBuilder(reader)
    options.sink = timeline
    let analysis = try TraceAnalyzer(reader, options: options).analyze()
    see(analysis.verdict)
    let page = try HTMLReport(reader, file: "a.rltrace").render(analysis, timeline: timeline)
    var faults: [String] = []
    func expect(_ isSo: Bool, _ what: @autoclosure () -> String) { if !isSo { faults.append(what()) } }

    // The sentence that all outputs contain, and its colour.
    let top = analysis.findings.first { $0.severity < .info }
    let sentence = analysis.verdict.text
    if let top { expect(sentence == top.text, "the verdict is not the first finding: \(sentence)") }
    let tone = top.map { $0.severity == .error ? "bad" : "warn" }
    let isGreen = page.contains("<div class=\"verdict good\">")
    expect(!(isGreen && top != nil), "green above \(top?.rule.rawValue ?? "")")
    if let tone { expect(page.contains("<div class=\"verdict \(tone)\">"), "not \(tone)") }

    let lines = AnalysisText(analysis, gapThresholdNs: 250_000_000, style: TextStyle(isColoured: false))
      .lines(file: "a.rltrace", isBrief: true)
    let text = plain(lines.joined(separator: " "))
    expect(text.contains(plain(sentence)), "not in the text: \(sentence)")
    let document = try JSONSerialization.jsonObject(
      with: Data(AnalysisJSON.encode([(file: "a.rltrace", analysis: analysis)]).utf8))
    let verdict = ((document as? [String: Any]) ?? (document as? [[String: Any]])?.first)?["verdict"]
    expect((verdict as? [String: Any])?["text"] as? String == sentence, "not in the JSON: \(sentence)")
    let heading = page.firstMatch(of: #/<h1>.*?<bdi>(.*?)</bdi></h1>/#)
    expect(
      heading.map { plain(unescaped(String($0.1))).lowercased() } == plain(sentence).lowercased(),
      "not the heading: \(sentence)")

    // Links of the form `from-to`, whose words begin with the time and the length.
    for link in page.matches(of: ##/<a href="#s=(\d+)-(\d+)" data-span="[^"]*"><bdi>([^<]*)</bdi>/##) {
      guard let from = UInt64(link.1), let to = UInt64(link.2) else { continue }
      let words = unescaped(String(link.3))
      expect(from <= analysis.trace.toNs && from < to, "\(words) leads out of the trace")
      let isWhole = words == "the whole span"
      expect(isWhole || words.hasPrefix(Units.moment(from)), "\(words) leads to \(Units.moment(from))")
      expect(
        isWhole || to &- from <= 1 || words.contains(Units.duration(to &- from)),
        "\(words) leads to a span of \(Units.duration(to &- from))")
    }
    return faults
  }

  /// Returns the text without its line breaks.
  private func plain(_ text: String) -> String {
    text.split { $0 == " " || $0 == "\n" || $0 == "\u{A0}" }.joined(separator: " ")
  }

  private func unescaped(_ text: String) -> String {
    [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")].reduce(text) {
      $0.replacingOccurrences(of: $1.0, with: $1.1)
    }
  }
}
