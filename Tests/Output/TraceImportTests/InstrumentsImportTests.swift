import Foundation
import TestSupport
import Testing
import TraceAnalysis
import TraceFormat
import TraceImport

@Suite struct InstrumentsImportTests {
  private let thread = RoundTripTests.thread

  private func interval(
    _ kind: WrittenInterval.Kind, _ start: UInt64, _ end: UInt64, level: Int = 1,
    mode: String = "kCFRunLoopDefaultMode",
    thread: String? = nil, timeout: UInt64 = .max
  ) -> WrittenInterval {
    WrittenInterval(
      kind: kind, level: level, start: start, end: end, mode: mode, thread: thread ?? self.thread,
      timeout: timeout)
  }

  private func trace(_ documents: String..., process: Int = 0) throws -> (
    dump: String, summary: InstrumentsTrace.Summary
  ) {
    var recording = InstrumentsRecording()
    for document in documents { try read(document, into: &recording) }
    let sink = MemorySink()
    let summary = try InstrumentsTrace.write(
      recording, of: try #require(recording.processes[process...].first), to: sink, codec: NoCodec())
    return (try dumpTrace(try openTrace(sink.bytes)), summary)
  }

  private func events(_ dump: String) -> [String] {
    dump.split(separator: "\n").filter { $0.hasPrefix("  ") && $0.contains(";") }.map {
      String($0.prefix { $0 != ";" }).trimmingCharacters(in: .whitespaces)
    }
  }

  @Test func pollsAreNotWaits() throws {
    let list = [
      interval(.run, 100, 900), interval(.iteration, 110, 400), interval(.wait, 200, 210, timeout: 0),
      interval(.iteration, 400, 890), interval(.wait, 500, 800),
    ]
    for document in [WrittenInterval.document(intervals: list), WrittenInterval.document(events: list)] {
      let (dump, summary) = try trace(document)
      #expect(
        events(dump).dropFirst().map { $0.split(separator: " ").prefix(2).joined(separator: " ") } == [
          "100 run.begin", "100 Entry.low", "110 BeforeTimers.low", "400 BeforeTimers.low",
          "500 BeforeWaiting.low",
          "800 AfterWaiting.low", "900 Exit.low", "900 run.end",
        ])
      #expect((summary.runs, summary.iterations, summary.waits, summary.polls) == (1, 2, 1, 1))
      #expect(dump.contains("timeout_ns=18446744073709551615 return_after_source=1"))
      #expect(dump.contains("run.end m1 #1 result=4"))
    }
  }

  @Test func rowsInAnyOrder() throws {
    let list = [
      interval(.run, 100, 900), interval(.iteration, 110, 400),
      interval(.run, 150, 300, level: 2, mode: "Nested"),
      interval(.iteration, 160, 290, level: 2, mode: "Nested"),
      interval(.wait, 170, 280, level: 2, mode: "Nested"),
      interval(.iteration, 400, 890), interval(.wait, 500, 800),
    ]
    let sorted = try trace(WrittenInterval.document(intervals: list)).dump
    var random = SeededGenerator(named: "rowsInAnyOrder")
    for _ in 0..<20 {
      let shuffled = list.shuffled(using: &random)
      #expect(try trace(WrittenInterval.document(intervals: shuffled)).dump == sorted, "\(TestSeed.note)")
    }
    #expect(sorted.contains("170 BeforeWaiting.low m2"))
  }

  @Test func columnsInAnyOrderAndUnknownOnes() throws {
    let list = [interval(.run, 100, 900), interval(.iteration, 110, 890), interval(.wait, 200, 800)]
    let usual = try trace(WrittenInterval.document(intervals: list)).dump
    var random = SeededGenerator(named: "columnsInAnyOrderAndUnknownOnes")
    for usesIDs in [true, false] {
      var text = InstrumentsText(usesIDs: usesIDs)
      text.begin(
        "runloop-intervals",
        (WrittenInterval.intervals + [("new-column", "new-type"), ("backtrace", "text-backtrace")]).shuffled(
          using: &random))
      for interval in list {
        var cells = interval.asInterval()
        cells["new-column"] = "<a> & \"b\""
        text.row(cells)
      }
      #expect(try trace(text.end()).dump == usual, "\(TestSeed.note)")
    }
  }

  @Test func intervalsBeyondTheRecording() throws {
    var text = InstrumentsText()
    text.begin("runloop-events", WrittenInterval.events)
    text.row(interval(.wait, 0, 50).asEvent(isBegin: false))
    text.row(interval(.iteration, 60, 0).asEvent(isBegin: true))
    text.row(interval(.wait, 70, 0).asEvent(isBegin: true))
    let (dump, summary) = try trace(text.end())
    #expect(
      events(dump).dropFirst() == [
        "50 AfterWaiting.low m1 #1", "60 BeforeTimers.low m1 #1", "70 BeforeWaiting.low m1 #1",
      ])
    #expect(summary.waits == 2)
  }

  @Test func oneProcessOfSeveral() throws {
    let other = "Main Thread|9|Other|12"
    let list = [
      interval(.run, 100, 900), interval(.iteration, 110, 890), interval(.run, 200, 300, thread: other),
    ]
    var recording = InstrumentsRecording()
    try read(WrittenInterval.document(intervals: list), into: &recording)
    #expect(recording.processes.map(\.name) == ["Round & \"Trip\"", "Other"])
    let (dump, summary) = try trace(WrittenInterval.document(intervals: list), process: 1)
    #expect(dump.contains("\"program\" \"Other\""))
    #expect((summary.runs, summary.otherRows) == (1, 2))
  }

  @Test func hangsSignpostsAndMarks() throws {
    var beside = InstrumentsText()
    beside.begin(
      "potential-hangs",
      [
        ("start", "start-time"), ("duration", "duration"), ("hang-type", "hang-type"), ("thread", "thread"),
        ("process", "process"),
      ])
    beside.row([
      "start": "110", "duration": "300", "hang-type": "Microhang", "thread": thread, "process": "x|1",
    ])
    beside.endTable()
    beside.begin("hitches", [("start", "start-time"), ("duration", "duration"), ("process", "process")])
    beside.row(["start": "120", "duration": "16", "process": "Round & \"Trip\"|4711"])
    beside.row(["start": "120", "duration": "16", "process": "Other|1"])
    beside.endTable()
    beside.begin(
      "PointsOfInterestEvents", [("time", "event-time"), ("name", "signpost-name"), ("thread", "thread")])
    beside.row(["time": "500", "name": "tapped", "thread": thread])
    beside.endTable()
    beside.begin(
      "OSSignpostIntervals",
      [
        ("start", "start-time"), ("duration", "duration"), ("name", "signpost-name"),
        ("start-thread", "thread"),
      ])
    beside.row(["start": "600", "duration": "50", "name": "load", "start-thread": thread])
    beside.endTable()
    beside.begin("new-table", [("time", "sample-time")])
    beside.row(["time": "1"])
    let list = [interval(.run, 100, 900), interval(.iteration, 110, 890), interval(.wait, 700, 800)]
    let (dump, summary) = try trace(WrittenInterval.document(intervals: list), beside.end())
    #expect(summary.hangs == [InstrumentsTrace.Span(startNs: 110, durationNs: 300, name: "Microhang")])
    #expect((summary.hitches, summary.marks, summary.intervals) == (1, 1, 1))
    for line in [
      "\"Microhang (Instruments)\"", "\"hitch (Instruments)\"", "500 mark", "600 interval.begin",
      "650 interval.end",
    ] {
      #expect(dump.contains(line), "\(line)")
    }
  }

  @Test func onlyOneTableAboutLoopsIsUsed() throws {
    let list = [interval(.run, 100, 900), interval(.iteration, 110, 890)]
    let events = WrittenInterval.document(events: list)
    let (dump, summary) = try trace(events, WrittenInterval.document(intervals: list))
    #expect(summary.runs == 1)
    #expect(try trace(events).dump == dump)
    var recording = InstrumentsRecording()
    try read(events, into: &recording)
    #expect(throws: ImportError.self) { try read(events, into: &recording) }
  }

  @Test func refusedDocuments() {
    var noColumns = InstrumentsText()
    noColumns.begin("runloop-events", [])
    var oneColumn = InstrumentsText()
    oneColumn.begin("runloop-events", [("timestamp", "event-time")])
    var twoRuns = InstrumentsText()
    twoRuns.begin("a", [("x", "uint64")])
    twoRuns.endTable()
    twoRuns.begin("b", [("x", "uint64")], run: 2)
    let usual = WrittenInterval.document(intervals: [interval(.run, 100, 900)])
    let cases = [
      ("", "line 1"), ("<a/>", "not an export"), ("<trace-toc/>", "table of contents"),
      (noColumns.end(), "no columns"),
      (oneColumn.end(), "no column interval-type"), (twoRuns.end(), "run 2"),
      (String(usual.dropLast(60)), "line"),
      (
        usual.replacingOccurrences(of: "<trace-query-result>", with: "<!DOCTYPE a []><trace-query-result>"),
        "DOCTYPE"
      ),
      (usual.replacingOccurrences(of: ">100<", with: ">-1<"), "not a whole number"),
      (
        usual.replacingOccurrences(of: ">100<", with: ">18446744073709551615<"),
        "beyond the limit of two years"
      ),
      (usual.replacingOccurrences(of: "<sentinel/>", with: "<uint64 ref=\"9999\"/>"), "no value before it"),
      (usual.replacingOccurrences(of: "id=\"2\"", with: "id=\"1\""), "used twice"),
      (usual.replacingOccurrences(of: "id=\"2\"", with: "id=\"two\""), "not a number"),
      (
        "<!DOCTYPE a [<!ENTITY b \"bb\"><!ENTITY c \"&b;&b;&b;&b;\">]><trace-query-result>&c;&c;</trace-query-result>",
        "refused"
      ),
    ]
    for (document, expected) in cases {
      let found = problem(document)
      #expect(found.contains(expected), "\(found), for \(document.prefix(120))")
    }
  }

  /// Damage of any kind is an error with a place, or another recording. Nothing traps.
  @Test func damagedDocuments() throws {
    let list = [
      interval(.run, 100, 900), interval(.iteration, 110, 400), interval(.wait, 200, 210, timeout: 0),
      interval(.iteration, 400, 890), interval(.wait, 500, 800),
    ]
    let documents = [WrittenInterval.document(intervals: list), WrittenInterval.document(events: list)].map {
      Array($0.utf8)
    }
    var random = SeededGenerator(named: "damagedDocuments")
    for _ in 0..<1_000 {
      var bytes = random.pick(documents)
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let place = Int.random(in: 0..<bytes.count - 40, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.removeSubrange(place..<place + Int.random(in: 1..<40, using: &random))
        case 2:
          // Replacing a digit keeps the document well formed.
          if let digit = bytes[place...].firstIndex(where: { (48...57).contains($0) }) {
            bytes[digit] = UInt8.random(in: 48...57, using: &random)
          }
        default:
          bytes.insert(contentsOf: bytes[place..<place + Int.random(in: 1..<40, using: &random)], at: place)
        }
      }
      var recording = InstrumentsRecording()
      do throws(ImportError) { try read(bytes, into: &recording) } catch {
        #expect(!"\(error)".isEmpty)
        continue
      }
      guard let process = recording.processes.first else { continue }
      let sink = MemorySink()
      _ = try InstrumentsTrace.write(recording, of: process, to: sink, codec: NoCodec())
      _ = try TraceAnalyzer(try openTrace(sink.bytes)).analyze()
    }
  }

  @Test func hangsAreCompared() {
    func span(_ start: UInt64, _ duration: UInt64) -> InstrumentsTrace.Span {
      InstrumentsTrace.Span(startNs: start * 1_000_000, durationNs: duration * 1_000_000, name: "Hang")
    }
    let comparison = HangComparison(
      theirs: [span(1_000, 300), span(2_000, 300), span(3_000, 300)],
      ours: [span(4_000, 400), span(1_000, 300), span(2_000, 350), span(5_000, 100)])
    #expect(comparison.equal == 1)
    #expect(comparison.different.map(\.ours) == [span(2_000, 350)])
    #expect(comparison.onlyTheirs == [span(3_000, 300)])
    #expect(comparison.onlyOurs == [span(4_000, 400)])
  }

  private static let shared = ProjectFiles.root.deletingLastPathComponent()
    .appendingPathComponent("shared/fixtures/xctrace-runloop-intervals.xml").path

  /// A real export from Instruments.
  @Test(
    .enabled(
      if: FileManager.default.fileExists(atPath: shared),
      "needs ../shared/fixtures/xctrace-runloop-intervals.xml"))
  func realExport() throws {
    let (dump, summary) = try trace(try String(contentsOfFile: Self.shared, encoding: .utf8))
    #expect((summary.runs, summary.iterations, summary.waits, summary.threads) == (3, 3, 1, 1))
    #expect(dump.contains("2006174583 BeforeWaiting.low m1"))
    #expect(dump.contains("2006176833 AfterWaiting.low m1"))
    #expect(dump.contains("\"process\" \"873\""))
  }
}
