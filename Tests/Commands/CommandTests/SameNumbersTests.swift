import Foundation
import TestSupport
import Testing
import TraceAnalysis

/// The text, JSON, CSV and HTML forms of a trace contain the same numbers. JSON has all numbers, so the others are
/// compared with it.
///
/// `ExportTests` compares CSV: each cell has a key in JSON.
@Suite struct SameNumbersTests {
  private struct Forms {
    let json: JSONValues
    let text: [Substring]
    let html: String
  }

  private func forms(_ name: String) throws -> Forms {
    let folder = try TemporaryFolder()
    let trace = SampleTraces.path(name)
    let text = try Program.rltrace.run(["analyze", trace, "--html", folder.file("report.html")])
    #expect(text.status == 0, "\(text.errors)")
    let json = try Program.rltrace.run(["analyze", "--format", "json", trace])
    return Forms(
      json: try JSONValues(json.output),
      text: text.output.split(separator: "\n", omittingEmptySubsequences: false),
      html: try String(contentsOfFile: folder.file("report.html"), encoding: .utf8))
  }

  /// Returns the cells of a section's table, in each row from right to left.
  private func rows(_ section: String, _ text: [Substring]) -> [[String]] {
    guard let begin = text.firstIndex(of: section[...]) else { return [] }
    return text[(begin + 2)...].prefix { !$0.isEmpty }.filter { !$0.contains(" more") }.map { line in
      line.split(separator: "  ").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
        .reversed()
    }
  }

  private func ns(_ value: Any?) -> String { (value as? UInt64).map(Units.duration) ?? "–" }
  private func whole(_ value: Any?) -> String { (value as? UInt64).map { "\($0)" } ?? "–" }

  @Test(arguments: SampleTraces.analyzable)
  func everywhere(name: String) throws {
    let forms = try forms(name)
    try textAgrees(forms)
    try pageAgrees(forms)
  }

  private func textAgrees(_ forms: Forms) throws {
    let json = forms.json
    for (row, mode) in zip(rows("Modes", forms.text), json.list("modes")) {
      #expect(row[0] == whole(mode["passes"]))
      #expect(
        row[2] == ns(mode["waiting_ns"]) && row[3] == ns(mode["busy_ns"]) && row[4] == ns(mode["time_ns"]))
    }
    let latencies = json.list("modes").flatMap { [$0["pass_ns"], $0["wake_to_callout_ns"]] }
    for (row, latency) in zip(rows("Pass duration and wake-to-callout", forms.text), latencies) {
      let values = try #require(latency as? [String: Any])
      #expect(row[0...4].reversed() == ["p50", "p90", "p99", "p999", "max"].map { ns(values[$0]) })
      #expect(row[5] == whole(values["count"]))
    }
    // The most starved timers come first.
    let timers = json.list("timers").sorted {
      func rank(_ timer: [String: Any]) -> (UInt64, UInt64) {
        (timer["skipped"] as? UInt64 ?? 0, timer["fired"] as? UInt64 ?? 0)
      }
      let (a, b) = (rank($0), rank($1))
      return a != b ? a > b : ($0["name"] as? String ?? "") < ($1["name"] as? String ?? "")
    }
    for (row, timer) in zip(rows("Timers", forms.text), timers) {
      let late = (timer["lateness_ns"] as? [String: Any])?["max"]
      #expect(row[0] == ns(late))
      for (cell, key) in zip(row.dropFirst(), ["pending", "withdrawn", "skipped", "fired", "due"]) {
        #expect(cell == whole(timer[key]), "\(key)")
      }
    }
    let callouts = json.list("callouts")
    let accounts = callouts.contains { !($0["sampled_count"] is NSNull) } ? 3 : 0
    for (cells, callout) in zip(rows("Callouts, by time", forms.text), callouts) {
      let times = ["blocked_ns", "waited_ns", "cpu_ns"].prefix(accounts).map { ns(callout[$0]) }
      #expect(cells.prefix(accounts).elementsEqual(times))
      let row = Array(cells.dropFirst(accounts))
      #expect(row[0] == ns(callout["worst_pass_ns"]) && row[1] == ns(callout["longest_ns"]))
      #expect(row[2] == ns(callout["time_ns"]) && row[3] == whole(callout["count"]))
    }
    let findings = forms.text.drop { $0 != "Findings" }.dropFirst().prefix { !$0.isEmpty }
    let rules = findings.compactMap { $0.firstMatch(of: #/^  [a-z]+ +(RL\d{3}) /#).map { String($0.1) } }
    #expect(rules[...] == json.list("findings").compactMap { $0["rule"] as? String }.prefix(rules.count))
  }

  /// Expects that every number of the page with a key equals the number in JSON at that key.
  private func pageAgrees(_ forms: Forms) throws {
    let numbers = forms.html.matches(of: /data-key="([^"]+)"(?: data-ns="(\d+)")?(?: data-value="([^"]*)")?/)
    var compared = 0
    for number in numbers {
      guard let shown = number.output.2 ?? number.output.3 else { continue }
      let key = String(number.output.1)
      let value = forms.json.text(key)
      #expect(shown == value ?? "", "\(key)")
      if shown != value ?? "" { return }
      compared += 1
    }
    #expect(compared > 10)
  }
}
