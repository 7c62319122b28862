import ReportWriting
import TestSupport
import Testing
import TextReport
import TraceAnalysis
import TraceTables

/// The rows of a table must be distinguishable, however narrow it is.
@Suite struct RowLabelsTests {
  /// Found by `semantic`: the mode of a sampled function broke its row.
  @Test func cellsAreOneLine() {
    #expect(Shown.words("line\nbreak").text() == "line\u{FFFD}break")
    #expect(Shown.name("line\nbreak").text() == "line\u{FFFD}break")
  }

  @Test func equalNamesGetDistinguishingMarks() {
    let labels = RowLabels.labels([
      ("closure #1 in Timer.init", ["App.swift:10", "1 s"]),
      ("closure #1 in Timer.init", ["App.swift:20", "1 s"]),
      ("alone", ["App.swift:30", "1 s"]),
    ])
    #expect(
      labels == [
        "closure #1 in Timer.init (App.swift:10)", "closure #1 in Timer.init (App.swift:20)", "alone",
      ])
  }

  /// Some rows need one mark, others need several, and the rest are numbered.
  @Test func asManyMarksAsItTakes() {
    let labels = RowLabels.labels([
      ("loop of stress", ["a", "thread 1"]), ("loop of stress", ["a", "thread 2"]),
      ("loop of stress", ["b", "thread 2"]),
      ("loop of stress", ["b", "thread 2"]),
    ])
    #expect(
      labels == [
        "loop of stress (a, thread 1)", "loop of stress (a, thread 2)", "loop of stress (b, thread 2)",
        "loop of stress (b, thread 2) ~2",
      ])
  }

  @Test func longNamesAreCutInTheMiddle() {
    let name = "closure #1 in Timer.init(fire:interval:repeats:block:) at App.swift:10"
    let short = RowLabels.shortened([name, "tick"], limit: 30)
    #expect(short["tick"] == "tick")
    #expect(short[name] == "closure …ock:) at App.swift:10")
  }

  /// The names differ in the middle.
  @Test func cutNamesStayDistinct() {
    let names = (0..<12).map {
      "closure #1 in MyVeryLongModuleName.Screen\($0).reload(after:animated:completion:)"
    }
    for limit in [20, 30, 48] {
      let short = RowLabels.shortened(names, limit: limit)
      #expect(Set(short.values).count == names.count)
      #expect(short.values.allSatisfy { $0.count <= limit })
    }
  }

  @Test func aCutNameDoesNotEqualAShortOne() {
    let long = "abcdefghijklmnopqrstuvwxyz"
    let short = RowLabels.shortened([long, "abcd…xyz"], limit: 8)
    #expect(short["abcd…xyz"] == "abcd…xyz" && short[long] != "abcd…xyz")
  }

  /// Returns the report of a loop that runs two modes, with three timers that differ only in their sites.
  private func report(width: Int) throws -> [String] {
    var main = "0 Entry.low m1 #1\n"
    for timer in 0..<3 {
      main +=
        "0 timer.create #\(10 + timer) name=2 interval_ns=10000000 tolerance_ns=0 due=\(10_000 + timer) site=\([3, 5, 9][timer])\n"
      main += "0 timer.add #\(10 + timer) mode=1 loop=1\n"
    }
    main += "10 BeforeTimers.low m1 #1\n300000 Exit.low m1 #1\n"
    return AnalysisText(
      try HandTrace(main: main).analysis(), gapThresholdNs: 250_000_000,
      style: TextStyle(isColoured: false, width: width)
    )
    .lines(file: "a.rltrace")
  }

  @Test(arguments: [60, 80, 100, 160]) func reportsFitTheirWidth(width: Int) throws {
    let lines = try report(width: width)
    #expect(lines.allSatisfy { $0.count <= width }, "\(lines.first { $0.count > width } ?? "")")
  }

  @Test func timersOfOneNameHaveTheirSites() throws {
    let lines = try report(width: 100)
    #expect(
      lines.contains { $0.hasPrefix("  tick (App.swift:10) ") }
        && lines.contains { $0.hasPrefix("  tick (App.swift:20) ") })
  }

  @Test func briefIsVerdictAndFindings() throws {
    let analysis = try TraceAnalyzer(openTrace(SampleTraces.bytes(virtual: "modes"))).analyze()
    let text = AnalysisText(analysis, gapThresholdNs: 0, style: TextStyle(isColoured: false))
    let brief = text.lines(file: "a.rltrace", isBrief: true)
    #expect(
      brief.filter { !$0.hasPrefix(" ") && !$0.isEmpty }.map { $0.prefix(8) } == [
        "a.rltrac", "458 ms, ", "Verdict:", "Findings", "Next",
      ])
    #expect(brief.contains("  rltrace report a.rltrace"))
    // An all-clear has no finding to explain.
    let rule = analysis.verdict.outcome == .fault ? analysis.verdict.finding?.rule.rawValue : nil
    #expect(brief.contains { $0.hasPrefix("  rltrace explain \(rule ?? "")   # ") } == (rule != nil))
    #expect(
      text.lines(file: "my app's.rltrace", isBrief: true).contains("  rltrace report 'my app'\\''s.rltrace'"))
    #expect(text.lines(file: "a.rltrace").count > brief.count)
  }

  /// Red, yellow or green, according to the findings.
  @Test(arguments: [
    ("detect-poll-loop", "1;31"), ("location-uncached", "1;33"), ("starvation-common", "32"),
    ("detect-idle", "32"),
  ])
  func theVerdictHasTheColourOfItsSeverity(sample: String, code: String) throws {
    let analysis = try TraceAnalyzer(openTrace(SampleTraces.bytes(virtual: sample))).analyze()
    let lines = AnalysisText(analysis, gapThresholdNs: 0, style: TextStyle(isColoured: true)).lines(file: "")
    #expect(lines.contains { $0.hasPrefix("\u{1B}[\(code)mVerdict: ") })
    if analysis.verdict.outcome == .fault { #expect(!lines.contains { $0.contains("\u{1B}[32m") }) }
  }
}
