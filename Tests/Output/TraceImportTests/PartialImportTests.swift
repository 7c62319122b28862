import Foundation
import TestSupport
import Testing
import TraceAnalysis
import TraceFormat
import TraceImport
import TraceValidation

/// Exports that lack rows or whole tables.
@Suite struct PartialImportTests {
  private static let ms: UInt64 = 1_000_000
  private let thread = RoundTripTests.thread

  private func interval(
    _ kind: WrittenInterval.Kind, _ start: UInt64, _ end: UInt64, level: Int = 1, mode: String = "Default",
    timeout: UInt64 = .max
  ) -> WrittenInterval {
    WrittenInterval(
      kind: kind, level: level, start: start * Self.ms, end: end * Self.ms, mode: mode, thread: thread,
      timeout: timeout)
  }

  private func imported(_ documents: [String]) throws -> (analysis: Analysis, isSound: Bool, dump: String) {
    var recording = InstrumentsRecording()
    for document in documents { try read(document, into: &recording) }
    let sink = MemorySink()
    _ = try InstrumentsTrace.write(
      recording, of: try #require(recording.processes.first), to: sink, codec: NoCodec())
    let reader = try openTrace(sink.bytes)
    let isSound = try Validation(reader, limit: 1).fault == nil
    return (try TraceAnalyzer(reader).analyze(), isSound, try dumpTrace(reader))
  }

  /// The run around a pass began before the recording: it ends with its last pass.
  @Test(arguments: [false, true]) func aPassWithoutItsRunEndsWhereItEnds(asEvents: Bool) throws {
    let list = [
      interval(.iteration, 1000, 1001), interval(.run, 2000, 3001), interval(.iteration, 2000, 3000),
      interval(.wait, 2001, 2999),
    ]
    let (analysis, isSound, _) = try imported([
      asEvents ? WrittenInterval.document(events: list) : WrittenInterval.document(intervals: list)
    ])
    #expect(isSound)
    #expect(analysis.findings.isEmpty)
    #expect(analysis.busy.allSatisfy { $0.durationNs < 250 * Self.ms })
    #expect(analysis.modes.map(\.busyNs) == [4 * Self.ms])
  }

  /// Passes that follow each other belong to one run, even if the table lacks it.
  @Test func passesWithoutARunAreOneRun() throws {
    let list = [
      interval(.iteration, 100, 200), interval(.wait, 110, 200), interval(.iteration, 200, 600),
      interval(.iteration, 900, 910),
    ]
    let (analysis, isSound, _) = try imported([WrittenInterval.document(intervals: list)])
    #expect(isSound)
    #expect(analysis.busy.map(\.durationNs).filter { $0 >= 250 * Self.ms } == [400 * Self.ms])
    #expect(analysis.modes.map(\.busyNs) == [420 * Self.ms])
  }

  /// Any rows may be missing: the trace is sound, and nothing is longer than the recording.
  @Test func anyRowsMayBeMissing() throws {
    let whole = [
      interval(.run, 100, 900), interval(.iteration, 110, 400), interval(.wait, 120, 150),
      interval(.run, 160, 300, level: 2, mode: "Nested"),
      interval(.iteration, 160, 290, level: 2, mode: "Nested"),
      interval(.wait, 170, 280, level: 2, mode: "Nested"), interval(.iteration, 400, 890),
      interval(.wait, 500, 800), interval(.run, 1000, 1200, mode: "Other"),
      interval(.iteration, 1000, 1200, mode: "Other"), interval(.wait, 1010, 1190, mode: "Other"),
    ]
    var random = SeededGenerator(named: "anyRowsMayBeMissing")
    for _ in 0..<300 {
      let list = whole.filter { _ in Bool.random(using: &random) }
      guard !list.isEmpty else { continue }
      let dropped = Set((0..<2 * list.count).filter { _ in Int.random(in: 0..<6, using: &random) == 0 })
      guard dropped.count < 2 * list.count else { continue }
      let events = WrittenInterval.document(events: list, without: dropped)
      for document in [WrittenInterval.document(intervals: list), events] {
        var recording = InstrumentsRecording()
        try read(document, into: &recording)
        if recording.processes.isEmpty { continue }
        let (analysis, isSound, dump) = try imported([document])
        #expect(isSound, "\(TestSeed.note) \(list) \(dump)")
        #expect(analysis.busy.allSatisfy { $0.durationNs <= 1100 * Self.ms }, "\(TestSeed.note) \(list)")
      }
    }
  }

  // MARK: Hangs without run loops

  private static let hangs: [(name: String, type: String)] = [
    ("start", "start-time"), ("duration", "duration"), ("hang-type", "hang-type"), ("thread", "thread"),
    ("process", "process"),
  ]
  private static let profile: [(name: String, type: String)] = [
    ("time", "sample-time"), ("thread", "thread"), ("thread-state", "thread-state"), ("weight", "weight"),
    ("stack", "tagged-backtrace"),
  ]
  private static let uuid = "E5D90565-FA1A-3112-B048-59E321191677"
  private static let stack = """
    0x1a0241c34|/usr/lib/swift/libswiftCore.dylib|\(uuid)|0x1a0241000|swift_retain
    0x100000f00|/Applications/My.app/Contents/MacOS/My|\(uuid)|0x100000000|attributes(in:)
    """

  private func hangDocument(_ list: [(start: UInt64, length: UInt64)]) -> String {
    var text = InstrumentsText()
    text.begin("potential-hangs", Self.hangs)
    for hang in list {
      text.row([
        "start": "\(hang.start * Self.ms)", "duration": "\(hang.length * Self.ms)",
        "hang-type": "Severe Hang", "thread": thread, "process": "Round & \"Trip\"|4711",
      ])
    }
    return text.end()
  }

  private func profileDocument(state: String) -> String {
    var text = InstrumentsText()
    text.begin("time-profile", Self.profile)
    for time in 1000..<UInt64(1700) {
      text.row([
        "time": "\(time * Self.ms)", "thread": thread, "thread-state": state, "weight": "1000000",
        "stack": Self.stack,
      ])
    }
    return text.end()
  }

  /// A list of hangs and a profile make a trace with hangs and stacks. All other numbers are unknown.
  @Test func hangsAndAProfileAreEnough() throws {
    let (analysis, isSound, _) = try imported([
      hangDocument([(1000, 700), (4000, 300), (4200, 200)]), profileDocument(state: "Running"),
    ])
    #expect(isSound)
    let hangs = analysis.busy.filter { $0.durationNs >= 250 * Self.ms }
    #expect(Set(hangs.map(\.startNs)) == [1000 * Self.ms, 4000 * Self.ms])
    #expect(Set(hangs.map(\.durationNs)) == [700 * Self.ms, 400 * Self.ms])
    #expect(analysis.modes.isEmpty)
    #expect(analysis.utilisation.isEmpty)
    #expect(analysis.inputDelay == nil)
    let stall = try #require(analysis.stalls.first { $0.startNs >= 1000 * Self.ms })
    #expect(stall.blamed?.name == "attributes(in:)")
    #expect(stall.cause == .cpu)
    #expect(analysis.notes.contains { if case .importedHangs = $0 { true } else { false } })
  }

  /// A runnable thread waits for a processor. Its samples show no work.
  @Test(arguments: ["Runnable", "Blocked", "Waiting"]) func onlyARunningThreadComputes(state: String) throws {
    let (analysis, _, _) = try imported([hangDocument([(1000, 700)]), profileDocument(state: state)])
    #expect(analysis.stalls.allSatisfy { $0.cause != .cpu })
  }

  // MARK: Tables

  private static let signposts: [(name: String, type: String)] = [
    ("time", "event-time"), ("thread", "thread"), ("process", "process"), ("event-type", "event-type"),
    ("identifier", "os-signpost-identifier"), ("name", "signpost-name"),
  ]

  private func signpostDocument(_ rows: [(ms: UInt64, type: String, id: Int, name: String)]) -> String {
    var text = InstrumentsText()
    text.begin("os-signpost", Self.signposts)
    for row in rows {
      text.row([
        "time": "\(row.ms * Self.ms)", "thread": thread, "process": "Round & \"Trip\"|4711",
        "event-type": row.type, "identifier": "\(row.id)", "name": row.name,
      ])
    }
    return text.end()
  }

  private var loop: String {
    WrittenInterval.document(intervals: [
      interval(.run, 0, 900), interval(.iteration, 1, 890), interval(.wait, 10, 880),
    ])
  }

  @Test func signpostsArePaired() throws {
    let document = signpostDocument([
      (100, "Begin", 1, "load"), (110, "Begin", 2, "load"), (150, "Event", 7, "tap"), (200, "End", 1, "load"),
      (300, "End", 2, "load"), (400, "End", 9, "load"),
    ])
    let (analysis, isSound, dump) = try imported([loop, document])
    #expect(isSound)
    let found = dump.split(separator: "\n").filter { $0.contains("interval.") || $0.contains(" mark ") }
      .map { $0.split(separator: " ").prefix(2).joined(separator: " ") }
    #expect(
      found == [
        "100000000 interval.begin", "110000000 interval.begin", "150000000 mark", "200000000 interval.end",
        "300000000 interval.end",
      ])
    #expect(analysis.marks.intervals.map(\.durationNs) == [100 * Self.ms, 190 * Self.ms])
  }

  /// A node without a schema is skipped and named. Its values may be repeated after it.
  @Test func aNodeWithoutASchemaIsSkipped() throws {
    let node = """
      <node xpath='//trace-toc[1]/run[1]/data[1]/table[6]'><row><event-time id="900">5</event-time></row></node>
      <node
      """
    let document = loop.replacingOccurrences(of: "<node", with: node)
    var recording = InstrumentsRecording()
    try read(document, into: &recording)
    #expect(recording.tables.map(\.name) == ["table[6] without a schema", "runloop-intervals"])
    #expect(recording.tables.map(\.isRead) == [false, true])
    #expect(recording.tables.map(\.rows) == [1, 3])
  }

  // MARK: Limits

  @Test func timesBeyondTwoYearsAreRefused() throws {
    let years = UInt64(1) << 56
    for end in [years / Self.ms + 1, .max / Self.ms] {
      let documents = [
        WrittenInterval.document(intervals: [interval(.run, 1, end)]),
        WrittenInterval.document(events: [interval(.run, 1, end)]), hangDocument([(1, end - 1)]),
        signpostDocument([(end, "Event", 1, "late")]),
      ]
      for document in documents {
        var recording = InstrumentsRecording()
        #expect(throws: ImportError.self) { try read(document, into: &recording) }
      }
    }
  }

  @Test func tooManyThreadsAreRefused() throws {
    var text = InstrumentsText()
    text.begin("runloop-events", WrittenInterval.events)
    for number in 0..<TraceLimits.threads {
      var one = interval(.run, 1, 2)
      one.thread = "Worker|\(number + 1)|App|7"
      text.row(one.asEvent(isBegin: true))
    }
    var recording = InstrumentsRecording()
    try read(text.end(), into: &recording)
    let process = try #require(recording.processes.first)
    #expect(throws: TraceFormatError.self) {
      try InstrumentsTrace.write(recording, of: process, to: MemorySink(), codec: NoCodec())
    }
  }
}
