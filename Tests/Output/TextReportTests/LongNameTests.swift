import PageReport
import TestSupport
import Testing
import TextReport
import TraceAnalysis
import TraceExchange
import TraceFormat
import TraceFacts
import TraceReplay
import TraceTables

/// Small traces whose rows would be long or numerous.
@Suite struct LongNameTests {
  private static let timers: UInt32 = 60

  /// Returns a trace of timers with an interval of a millisecond that wait for each other's callouts, so that each
  /// skips points between any two events. Their names have this length and differ at the end.
  private func trace(nameBytes: Int, rounds: UInt64 = 1) throws -> [UInt8] {
    let timers = Self.timers
    var events: [TestEvent] = (1...timers).flatMap { number in
      [
        TestEvent(
          time: 0, kind: .timerCreate, object: number,
          arguments: [UInt64(number), 1_000_000, 0, 1, UInt64(number)]),
        TestEvent(time: 0, kind: .timerAdd, object: number, arguments: [1, 1000]),
      ]
    }
    events.append(TestEvent(time: 0, kind: .entryLow, mode: 1, object: 1000))
    for round in 0..<rounds * UInt64(timers) {
      let time = (round + 1) * 700_000_000, timer = UInt32(round % UInt64(timers)) + 1
      events += [
        TestEvent(time: time, kind: .beforeTimersLow, mode: 1, object: 1000),
        TestEvent(time: time, kind: .timerBegin, mode: 1, object: timer),
        TestEvent(time: time + 400_000_000, kind: .timerEnd, mode: 1, object: timer),
      ]
    }
    return try writeTrace(codec: .zstd, timeUnit: .ns1, hasHighStamps: false) { writer in
      let stem = String(repeating: "ä", count: nameBytes / 2 - 2)
      try writer.write((1...timers).map { StringDefinition(id: $0, text: stem + "\(1000 + $0)") })
      try writer.write([ModeDefinition(id: 1, name: stem + "mode")])
      try writer.write([ThreadDefinition(index: 0, osThread: 7, isMain: true, name: stem + "main")])
      try writer.write(EventBuffer(events), thread: 0)
    }
  }

  private func analysis(_ bytes: [UInt8], observer: (any FactSink)? = nil) throws -> Analysis {
    var options = AnalysisOptions()
    options.sink = observer
    return try TraceAnalyzer(openTrace(bytes), options: options).analyze()
  }

  /// Returns the tables by name, and the notes about omitted rows.
  private func export(_ bytes: [UInt8]) throws -> (tables: [String: [UInt8]], omissions: [Note]) {
    var sinks: [String: MemorySink] = [:]
    let exporter = try Exporter(ExportTable.allCases, format: .csv, reader: openTrace(bytes)) { name in
      sinks[name] = MemorySink()
      return sinks[name]!
    }
    try exporter.finish(file: "x", try analysis(bytes, observer: exporter))
    return (sinks.mapValues(\.bytes), exporter.omissions)
  }

  @Test func aNameTakesAsManyBytesInEachRow() throws {
    let bytes = try trace(nameBytes: TraceLimits.stringBytes)
    #expect(bytes.count < 16_000)
    let result = try analysis(bytes)
    let json = try AnalysisJSON.encode([("x", result)])
    let names = result.timers.flatMap(\.names) + result.modes.map(\.mode) + result.trace.threads.map(\.name)
    #expect(names.allSatisfy { $0.utf8.count <= AnalysisLimits.nameBytes && ShownName.of($0) == $0 })
    #expect(json.utf8.count < 4_000_000, "\(json.utf8.count)")
    let page = try HTMLReport(openTrace(bytes), file: "x")
      .render(result, timeline: TimelineBuilder(openTrace(bytes)))
    #expect(page.utf8.count < 2_000_000, "\(page.utf8.count)")
    let rows = try export(bytes).tables.values.map(\.count).reduce(0, +)
    #expect(rows < 40_000_000, "\(rows)")
    #expect(
      result.notes.map(\.text).contains { $0.contains("62 names in the trace are cut to 512 bytes") })
  }

  /// The text after the cut distinguishes the names, and is the same in each trace.
  @Test func namesThatBeginAlikeStayDistinct() throws {
    let first = try analysis(trace(nameBytes: 2000)).timers.map(\.name)
    #expect(Set(first).count == Int(Self.timers))
    #expect(first.allSatisfy { $0.hasPrefix("ä") && $0.contains("… (2000 bytes, ") })
    #expect(try analysis(trace(nameBytes: 2000, rounds: 2)).timers.map(\.name) == first)
  }

  /// The reader and the analysis cut a name in the same way, and it counts once.
  @Test(arguments: [1000, 4096, 4100, TraceLimits.stringBytes])
  func namesThatTheReaderCuts(nameBytes: Int) throws {
    let bytes = try trace(nameBytes: nameBytes)
    let reader = try openTrace(bytes, longNames: ShownName.whileReading)
    let names = reader.strings.values.map(\.utf8.count)
    #expect(names.allSatisfy { nameBytes > 4096 ? $0 <= AnalysisLimits.nameBytes : $0 == nameBytes })
    let json = try AnalysisJSON.encode([("x", TraceAnalyzer(reader).analyze())])
    #expect(try json == AnalysisJSON.encode([("x", analysis(bytes))]))
  }

  @Test func namesUpToTheLimitAreWhole() throws {
    let result = try analysis(trace(nameBytes: AnalysisLimits.nameBytes))
    #expect(result.timers.allSatisfy { $0.name.utf8.count == AnalysisLimits.nameBytes })
    #expect(!result.notes.contains { if case .longNames = $0 { true } else { false } })
  }

  @Test func rowsWithoutEventsAreBounded() throws {
    let bytes = try trace(nameBytes: 8, rounds: 5)
    let events = try openTrace(bytes).eventCount
    let (tables, omissions) = try export(bytes)
    let lines = String(decoding: try #require(tables["timer_fires.csv"]), as: UTF8.self).split(
      separator: "\r\n")
    let skipped = lines.count { $0.contains(",skipped,") }
    let limit = AnalysisLimits.skippedRowsOfAnyTrace + AnalysisLimits.skippedRowsPerEvent * Int(events)
    #expect(skipped == limit)
    // Each fire has its own row.
    #expect(lines.count { $0.contains(",fired,") } == 5 * Int(Self.timers))
    let said = try #require(omissions.first?.text)
    #expect(said.contains("rows of skipped due points after the first \(limit) are not in the table"))
    #expect(String(decoding: try #require(tables["README.txt"]), as: UTF8.self).contains(said))
    #expect(try export(trace(nameBytes: 8)).omissions.isEmpty)
  }
}
