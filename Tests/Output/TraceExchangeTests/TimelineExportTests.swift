import Foundation
import TestSupport
import Testing
import TraceAnalysis
import TraceExchange
import TraceFacts
import TraceFormat

/// Files for other viewers, compared with the facts of the same trace.
@Suite struct TimelineExportTests {
  private func export(
    _ bytes: [UInt8], _ format: TimelineFormat, minimumNs: UInt64 = 0, maximum: Int = 1 << 40,
    from: UInt64? = nil, to: UInt64? = nil
  ) throws -> (bytes: [UInt8], outcome: TimelineExporter.Outcome, analysis: Analysis) {
    let reader = try openTrace(bytes)
    let sink = MemorySink()
    let exporter = TimelineExporter(
      format, reader: reader, name: "test", minimumNs: minimumNs, maximum: maximum, to: sink)
    var options = AnalysisOptions()
    (options.from, options.to) = (from, to)
    options.sink = exporter.sink
    let analysis = try TraceAnalyzer(reader, options: options).analyze()
    let outcome = try exporter.finish(analysis)
    return (sink.bytes, outcome, analysis)
  }

  @Test(arguments: TimelineFormat.allCases.map(\.name)) func theFormatHasItsPage(name: String) throws {
    let format = try #require(TimelineFormat(name: name))
    let folder = "docs/reference/formats"
    #expect(try ProjectFiles.text("\(folder)/README.md").contains("](\(name).md) |"))
    #expect(try ProjectFiles.text("\(folder)/\(name).md").contains("--format \(name)"))
    #expect(
      try ProjectFiles.text("docs/reference/commands/export.md").contains(
        "| [`\(name)`](../formats/\(name).md) |"))
    // The table of formats has the default limits.
    let limit = format.usualSlices.formatted(.number.grouping(.automatic).locale(Locale(identifier: "en_US")))
    #expect(try ProjectFiles.text("\(folder)/README.md").contains(" \(limit) |"))
  }

  /// The values of a state follow each other on one track. A value that still holds at the end is unfinished.
  @Test func aStateIsATrack() throws {
    let trace = HandTrace(
      main: """
        10 state name=7 value=6
        300 state name=7 value=4
        500 state name=7 value=0
        600 state name=7 value=6
        900 mark name=9
        """)
    let (bytes, _, _) = try export(assembleTrace(trace.text()), .chrome)
    let file = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
    let events = try #require(file?["traceEvents"] as? [[String: Any]])
    let begun = events.filter { $0["ph"] as? String == "b" && $0["cat"] as? String == "state" }
    let arguments = begun.map { $0["args"] as? [String: Any] ?? [:] }
    #expect(begun.map { $0["name"] as? String } == ["draw", "parse", "draw"])
    #expect(arguments.allSatisfy { $0["track"] as? String == "state: read" })
    #expect(arguments.map { $0["unfinished"] != nil } == [false, false, true])
  }

  private func sample(_ name: String) throws -> [UInt8] { try ProjectFiles.bytes("SampleTraces/\(name)") }

  /// Slices of threads by category, from begins and ends that must balance and never go back in time.
  private func slices(_ file: PerfettoFile) -> (counts: [String: UInt64], problems: [String]) {
    var open: [UInt64: [PerfettoFile.Event]] = [:]
    var last: [UInt64: UInt64] = [:]
    var (counts, problems): ([String: UInt64], [String]) = ([:], [])
    for event in file.events where file.threads.contains(event.track) {
      if event.time < last[event.track, default: 0] { problems.append("\(event) goes back in time") }
      last[event.track] = event.time
      if event.type == 1 {
        counts[event.category, default: 0] += 1
        open[event.track, default: []].append(event)
      } else if open[event.track, default: []].popLast() == nil {
        problems.append("\(event) ends nothing")
      }
    }
    return (counts, problems)
  }

  @Test(arguments: SampleTraces.analyzable) func perfettoHasEverySlice(name: String) throws {
    let (bytes, _, analysis) = try export(try sample(name), .perfetto)
    let (counts, problems) = slices(PerfettoFile(bytes))
    #expect(problems.isEmpty, "\(problems.prefix(3))")
    for kind in Set(analysis.callouts.map(\.kind)) {
      let expected = analysis.callouts.filter { $0.kind == kind }.reduce(0) { $0 + $1.count }
      #expect(counts[kind, default: 0] == expected, "\(kind)")
    }
    // A pass whose run was cut off counts as a slice only.
    #expect(counts["pass", default: 0] >= analysis.modes.reduce(0) { $0 + $1.passes })
    #expect(counts["run", default: 0] >= analysis.loops.reduce(0) { $0 + $1.runs })
    // A fire whose due point is not known is not overdue.
    let fired = analysis.timers.reduce(0) { $0 + ($1.ledger?.latenessNs.count ?? 0) }
    let overdue = PerfettoFile(bytes).events.filter {
      $0.category == "overdue" && $0.type == 1 && $0.name == "fired"
    }
    #expect(UInt64(overdue.count) == fired)
  }

  @Test(arguments: SampleTraces.analyzable) func chromeHasTheSameSlices(name: String) throws {
    let bytes = try sample(name)
    let perfetto = PerfettoFile(try export(bytes, .perfetto).bytes)
    let chrome = try #require(
      try JSONSerialization.jsonObject(with: Data(try export(bytes, .chrome).bytes)) as? [String: Any])
    let events = try #require(chrome["traceEvents"] as? [[String: Any]])
    let begins = events.filter { $0["ph"] as? String == "B" }
    let expected = perfetto.events.filter { perfetto.threads.contains($0.track) && $0.type == 1 }
    #expect(begins.compactMap { $0["name"] as? String } == expected.map(\.name))
    #expect(begins.compactMap { $0["cat"] as? String } == expected.map(\.category))
    let ends = events.count { $0["ph"] as? String == "E" }
    #expect(ends == perfetto.events.count { perfetto.threads.contains($0.track) && $0.type == 2 })
  }

  /// A refused export suggests a window that fits and a minimum duration that fits.
  @Test func tooManySlicesAreRefused() throws {
    let bytes = try sample("real/timer-starvation.rltrace")
    let (written, outcome, _) = try export(bytes, .perfetto, maximum: 1000)
    #expect(written.isEmpty)
    guard case .tooMany(let slices, let untilNs, let minimum) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(slices > 1000)
    let shortest = try #require(minimum)
    let part = try export(bytes, .perfetto, minimumNs: shortest.ns, maximum: 1000)
    guard case .written(_, _, let omitted, _) = part.outcome else {
      Issue.record("\(part.outcome)")
      return
    }
    #expect(omitted > 0)
    let window = try export(
      bytes, .perfetto, maximum: 1000, to: untilNs / (try openTrace(bytes)).header.timeUnit.nanoseconds)
    guard case .written = window.outcome else {
      Issue.record("\(window.outcome)")
      return
    }
  }

  /// A slice that is left out takes its contents with it, so the others still nest.
  @Test func shortSlicesAreLeftOut() throws {
    let bytes = try sample("virtual/stuttering-app.rltrace")
    let all = try export(bytes, .perfetto)
    let long = try export(bytes, .perfetto, minimumNs: 1_000_000)
    guard case .written(let allSlices, _, 0, 0) = all.outcome,
      case .written(let slices, _, let omitted, _) = long.outcome
    else {
      Issue.record("\(all.outcome) \(long.outcome)")
      return
    }
    #expect(slices < allSlices)
    #expect(omitted > 0)
    #expect(self.slices(PerfettoFile(long.bytes)).problems.isEmpty)
  }

  /// The program ends inside a callout: its slices end with the recording, and are marked, in each format.
  @Test func unfinishedSlicesAreClosedAndMarked() throws {
    let main = """
      0 Entry.low m1 #1
      10 BeforeTimers.low m1 #1
      100 source0.begin m1 #3
      """
    let bytes = try assembleTrace(HandTrace(main: main).text())
    let file = PerfettoFile(try export(bytes, .perfetto).bytes)
    let events = file.events.filter { file.threads.contains($0.track) }
    #expect(events.map(\.type) == [1, 1, 1, 2, 2, 2])
    #expect(events.prefix(3).map(\.category) == ["run", "pass", "source0"])
    func marks(_ format: TimelineFormat) throws -> Int {
      String(decoding: try export(bytes, format).bytes, as: UTF8.self)
        .components(separatedBy: #""unfinished":1"#).count - 1
    }
    let marked = (try marks(.chrome), try marks(.firefox))
    #expect(marked == (3, 3))
    let ends = try chromeEvents(bytes).filter { $0["ph"] as? String == "E" }
    #expect(ends.compactMap { $0["cat"] as? String } == ["source0", "pass", "run"])
    let speedscope = String(decoding: try export(bytes, .speedscope).bytes, as: UTF8.self)
    #expect(speedscope.components(separatedBy: #""type":"C""#).count == 4)
  }

  private func chromeEvents(_ bytes: [UInt8]) throws -> [[String: Any]] {
    let file =
      try JSONSerialization.jsonObject(with: Data(try export(bytes, .chrome).bytes)) as? [String: Any]
    return try #require(file?["traceEvents"] as? [[String: Any]])
  }

  /// Each end of the Chrome format names the innermost slice, and the events of a thread have distinct times, because
  /// viewers sort them.
  @Test(arguments: SampleTraces.analyzable) func chromeSlicesNestByNameAndTime(name: String) throws {
    var open: [Int: [String]] = [:]
    var last: [Int: Double] = [:]
    for event in try chromeEvents(try sample(name)) {
      guard let phase = event["ph"] as? String, ["B", "E"].contains(phase) else { continue }
      let (thread, time) = (try #require(event["tid"] as? Int), try #require(event["ts"] as? Double))
      let text = try #require(event["name"] as? String)
      #expect(time > last[thread] ?? -1)
      last[thread] = time
      if phase == "B" {
        open[thread, default: []].append(text)
      } else {
        let innermost = open[thread]?.popLast()
        #expect(innermost == text)
      }
    }
    let unended = open.values.filter { !$0.isEmpty }
    #expect(unended.isEmpty)
  }

  /// Viewers need a positive process id; other facts count as missing.
  @Test(arguments: ["-1", "0", "9999999999999", "x"]) func aWrongProcessIDIsReplaced(fact: String) throws {
    var trace = HandTrace(main: "0 Entry.low m1 #1")
    trace.facts = ["process=\(fact)"]
    let text = trace.text()
    for format in TimelineFormat.allCases {
      let (bytes, _, _) = try export(try assembleTrace(text), format)
      #expect(!bytes.isEmpty)
    }
    let chrome = try chromeEvents(try assembleTrace(text))
    let processes = Set(chrome.compactMap { $0["pid"] as? Int })
    #expect(processes == [1])
  }
}
