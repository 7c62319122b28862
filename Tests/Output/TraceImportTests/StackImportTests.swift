import Foundation
import TestSupport
import Testing
import TraceAnalysis
import TraceFormat
import TraceImport

/// Sampled stacks of an Instruments recording.
@Suite struct StackImportTests {
  private static let ms: UInt64 = 1_000_000
  private static let uuid = "E5D90565-FA1A-3112-B048-59E321191677"
  private static let app = "/private/var/MyApp.app/MyApp|\(uuid)|0x100000000"
  private static let system = "/usr/lib/system/libsystem_kernel.dylib|\(uuid)|0x1a0241000"
  private static let profile: [(name: String, type: String)] = [
    ("time", "sample-time"), ("thread", "thread"), ("process", "process"), ("core", "core"),
    ("thread-state", "thread-state"), ("weight", "weight"), ("stack", "tagged-backtrace"),
  ]
  private static let sampled: [(name: String, type: String)] = [
    ("time", "sample-time"), ("thread", "thread"), ("core-index", "core"), ("thread-state", "thread-state"),
    ("cp-kernel-callstack", "kperf-bt"), ("cp-user-callstack", "kperf-bt"),
    ("sample-type", "time-sample-kind"),
  ]
  /// Innermost first.
  private static let parsing = """
    0x1a0241c34|\(system)|memcpy
    0x100000f00|\(app)|parse<"A">(_:)
    0x100000100|\(app)|main
    """
  private static let drawing = "0x100002000|\(app)|draw()\n0x100000100|\(app)|main"
  private static let unnamed = "0x100003000|\(app)|0x100003000\n0x100003200|\(app)|0x1000031ff"

  /// A loop that stays in an iteration from 100 ms to 400 ms, and waits until 900 ms.
  private static let loop: String = {
    func interval(_ kind: WrittenInterval.Kind, _ start: UInt64, _ end: UInt64) -> WrittenInterval {
      WrittenInterval(
        kind: kind, level: 1, start: start * ms, end: end * ms, mode: "kCFRunLoopDefaultMode",
        thread: RoundTripTests.thread)
    }
    return WrittenInterval.document(intervals: [
      interval(.run, 90, 1000), interval(.iteration, 100, 990), interval(.wait, 400, 900),
    ])
  }()

  private func row(
    _ time: UInt64, _ stack: String?, state: String = "Running", thread: String = RoundTripTests.thread
  ) -> [String: String] {
    [
      "time": "\(time * Self.ms)", "thread": thread, "process": "Round & \"Trip\"|4711", "core": "4",
      "thread-state": state, "weight": "1000000", "stack": stack, "cp-user-callstack": stack,
    ].compactMapValues(\.self)
  }

  private func document(
    _ table: String, _ columns: [(name: String, type: String)], _ rows: [[String: String]],
    usesIDs: Bool = true
  ) -> String {
    var text = InstrumentsText(usesIDs: usesIDs)
    text.begin(table, columns)
    for row in rows { text.row(row) }
    return text.end()
  }

  private func imported(_ documents: String...) throws -> (
    dump: String, analysis: Analysis, summary: InstrumentsTrace.Summary
  ) {
    var recording = InstrumentsRecording()
    for document in documents { try read(document, into: &recording) }
    let sink = MemorySink()
    let process = try #require(recording.processes.first)
    let summary = try InstrumentsTrace.write(recording, of: process, to: sink, codec: NoCodec())
    let reader = try openTrace(sink.bytes)
    return (try dumpTrace(reader), try TraceAnalyzer(reader).analyze(), summary)
  }

  /// One stack per millisecond: the thread parses in those from 101 to 250 ms, and draws in those up to 399 ms.
  private var rows: [[String: String]] {
    (101..<400).map { row($0, $0 <= 250 ? Self.parsing : Self.drawing) }
  }

  @Test func aStallIsBlamed() throws {
    let (dump, analysis, summary) = try imported(Self.loop, document("time-profile", Self.profile, rows))
    let stall = try #require(analysis.stalls.first)
    #expect(analysis.stalls.count == 1)
    #expect((stall.startNs, stall.durationNs) == (100 * Self.ms, 300 * Self.ms))
    #expect(stall.blamed?.function == "parse<\"A\">(_:)")
    #expect(stall.blamed?.image == "MyApp")
    #expect(stall.blamed?.imageID == "e5d90565fa1a3112b04859e321191677")
    #expect(stall.functions.map(\.0.function) == ["parse<\"A\">(_:)", "draw()"])
    #expect(stall.blamedNs == 151 * Self.ms)
    #expect(stall.stack.map(\.function) == ["memcpy", "parse<\"A\">(_:)", "main"])
    #expect(stall.evidence.state == "R")
    // An export does not have these.
    #expect(stall.evidence.cpuNs == nil && stall.evidence.systemCall == nil && stall.owner == nil)
    #expect(stall.blamed?.line == nil)
    #expect((summary.samples, summary.sampledStays, summary.samplesElsewhere) == (299, 1, 0))
    #expect(dump.contains("imageMap"))
  }

  @Test func columnsInAnyOrderAndMissingIDs() throws {
    let (usual, analysis, _) = try imported(Self.loop, document("time-profile", Self.profile, rows))
    let usualBlame = try #require(analysis.stalls.first?.blamed)
    var random = SeededGenerator(named: "columnsInAnyOrderAndMissingIDs")
    for usesIDs in [true, false] {
      let columns = (Self.profile + [("new-column", "new-type")]).shuffled(using: &random)
      let document = document("time-profile", columns, rows, usesIDs: usesIDs)
      #expect(try imported(Self.loop, document).dump == usual, "\(TestSeed.note)")
      // The tables are listed in the order of the files.
      let other = try imported(document, Self.loop)
      #expect(other.analysis.stalls.first?.blamed == usualBlame)
      #expect(other.summary.samples == rows.count)
    }
  }

  /// The samples end before 150 ms, so no function can be blamed for the rest.
  @Test func timeWithoutSamplesIsNotBlamed() throws {
    let rows = (101..<150).map { row($0, Self.parsing) }
    let (dump, analysis, _) = try imported(Self.loop, document("time-profile", Self.profile, rows))
    let stall = try #require(analysis.stalls.first)
    #expect(stall.blamed == nil)
    #expect(stall.blamedNs == 250 * Self.ms)
    #expect(stall.functions.map(\.1) == [50 * Self.ms])
    #expect(dump.contains("150000000 thread.stack thread=77 reason=1 frame=0x0") || dump.contains("frame=0"))
  }

  /// The advice of a hang names the table of stacks only if none were imported.
  @Test func adviceKnowsWhatWasImported() throws {
    func advice(_ documents: String...) throws -> String {
      let analysis =
        documents.count == 1
        ? try imported(documents[0]).analysis : try imported(documents[0], documents[1]).analysis
      return try #require(analysis.findings.first { $0.text.contains("310 ms") }).remedy
    }
    #expect(try advice(Self.loop).hasSuffix("or import its table time-profile."))
    let blamed = try advice(Self.loop, document("time-profile", Self.profile, rows))
    #expect(blamed.hasPrefix("Do the work on another thread"))
    // Most of the time has no sample.
    let moment = try advice(Self.loop, document("time-profile", Self.profile, [row(101, Self.parsing)]))
    #expect(moment.contains("the imported stacks blame no function"))
  }

  @Test func samplesOutsideLongStaysAreCounted() throws {
    let rows =
      [row(95, Self.parsing), row(150, Self.parsing), row(500, Self.parsing), row(950, nil)]
      + [row(150, Self.drawing, thread: "other|78|Round & \"Trip\"|4711")]
      + [row(150, Self.drawing, thread: "other|79|Other|12")] + [row(160, "|||| no address")]
    let summary = try imported(Self.loop, document("time-profile", Self.profile, rows)).summary
    // The stay before the first iteration lasts 10 ms.
    #expect((summary.samples, summary.samplesElsewhere) == (2, 2))
    #expect((summary.withoutStack, summary.withoutAddress) == (1, 1))
  }

  /// Both tables hold the same samples, and only `time-profile` has names.
  @Test func theTableWithNamesIsRead() throws {
    let addresses = "6738418740|4294971136 4294967552 0"
    let plain = document(
      "time-sample", Self.sampled, (101..<400).map { row($0, addresses, state: "Blocked") })
    let alone = try imported(Self.loop, plain)
    let stall = try #require(alone.analysis.stalls.first)
    #expect(stall.blamed == nil)
    #expect(stall.stack.map(\.address) == [6_738_418_740, 4_294_971_135, 4_294_967_551])
    #expect(stall.evidence.state == "S")
    let named = document("time-profile", Self.profile, rows)
    let expected = try imported(Self.loop, named)
    for documents in [[plain, named], [named, plain]] {
      let both = try imported(Self.loop, documents[0], documents[1])
      #expect(both.analysis.stalls.first?.blamed == expected.analysis.stalls.first?.blamed)
      #expect(both.summary.samples == expected.summary.samples)
    }
  }

  @Test func functionsWithoutNames() throws {
    let rows = (101..<400).map { row($0, Self.unnamed) }
    let (_, analysis, _) = try imported(Self.loop, document("time-profile", Self.profile, rows))
    let blamed = try #require(analysis.stalls.first?.blamed)
    #expect(blamed.function == nil)
    #expect(blamed.image == "MyApp")
    #expect(blamed.imageOffset == 0x3000)
  }

  /// Longer than an event can be: the outermost frames are left out.
  @Test(.optimizedBuild) func hugeStacks() throws {
    let deep = (1...20_000).map { "0x\(String($0 * 16, radix: 16))|\(Self.app)|f\($0 % 1000)" }
    let rows = (101..<400).map { row($0, deep.joined(separator: "\n")) }
    let (_, analysis, _) = try imported(Self.loop, document("time-profile", Self.profile, rows))
    #expect(analysis.stalls.first?.stack.count == ImportLimits.framesPerStack)
    #expect(analysis.stalls.first?.stack.first?.function == "f1")
    let addresses = "16|" + (2...20_000).map { "\($0 * 16)" }.joined(separator: " ")
    let plain = document("time-sample", Self.sampled, (101..<400).map { row($0, addresses) })
    #expect(try imported(Self.loop, plain).analysis.stalls.first?.stack.count == ImportLimits.framesPerStack)
  }

  @Test func refusedStacks() {
    let usual = document("time-profile", Self.profile, [row(150, Self.parsing), row(151, Self.parsing)])
    func with(_ stack: String) -> String {
      let start = usual.range(of: "<tagged-backtrace id")?.lowerBound ?? usual.startIndex
      let end = usual.range(of: "</tagged-backtrace>")?.upperBound ?? usual.startIndex
      return usual.replacingCharacters(in: start..<end, with: stack)
    }
    let nested = String(repeating: "<backtrace>", count: 1_000)
    let frame = "<frame id=\"77\" name=\"f\" addr=\"0x10\""
    for (document, expected) in [
      (with("<tagged-backtrace id=\"70\"><backtrace ref=\"70\"/></tagged-backtrace>"), "no value before it"),
      (with("<backtrace id=\"70\">\(frame)><frame ref=\"77\"/></frame></backtrace>"), "no value before it"),
      (with("<backtrace id=\"70\"><frame ref=\"999999\"/></backtrace>"), "no value before it"),
      (with("<backtrace id=\"70\">\(frame)/>\(frame)/></backtrace>"), "used twice"),
      (with("<kperf-bt><text-addresses>1 two 3</text-addresses></kperf-bt>"), "'two' is not an address"),
      (with("<kperf-bt><text-addresses>-1</text-addresses></kperf-bt>"), "not an address"),
      (with(nested), "line"),
      (
        usual.replacingOccurrences(of: ">150000000<", with: ">18446744073709551615<"),
        "beyond the limit of two years"
      ),
    ] {
      let found = problem(document)
      #expect(found.contains(expected), "\(found), for \(document.suffix(400).prefix(200))")
    }
  }

  /// A stack of another type, a number in its place, and a frame without an address leave the samples out.
  @Test func strangeStacks() throws {
    let rows = [row(150, Self.parsing), row(200, Self.drawing)]
    let usual = document("time-profile", Self.profile, rows)
    for (what, with) in [("tagged-backtrace", "new-type"), ("frame", "new-type"), ("0x100000f00", "none")] {
      let strange = usual.replacingOccurrences(of: what, with: with)
      #expect(strange != usual)
      let summary = try imported(Self.loop, strange).summary
      #expect(summary.samples < rows.count, "\(what)")
      #expect(summary.samples + summary.withoutStack + summary.withoutAddress == rows.count, "\(what)")
    }
  }

  @Test func damagedStacks() throws {
    let documents = [
      document("time-profile", Self.profile, rows.suffix(160).prefix(20).map(\.self)),
      document(
        "time-sample", Self.sampled, (101..<110).map { row($0, "6738418740|4294971136 4294967552 0") }),
    ].map { Array($0.utf8) }
    var random = SeededGenerator(named: "damagedStacks")
    for _ in 0..<500 {
      var bytes = random.pick(documents)
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let place = Int.random(in: 1_200..<bytes.count - 40, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes.removeSubrange(place..<place + Int.random(in: 1..<20, using: &random))
        case 1:
          // Replacing a digit keeps the document well formed.
          if let digit = bytes[place...].firstIndex(where: { (48...57).contains($0) }) {
            bytes[digit] = UInt8.random(in: 48...57, using: &random)
          }
        default: bytes[place] = UInt8.random(in: 0...255, using: &random)
        }
      }
      var recording = InstrumentsRecording()
      do throws(ImportError) { try read(bytes, into: &recording) } catch {
        #expect(!"\(error)".isEmpty)
        continue
      }
      try read(Self.loop, into: &recording)
      let sink = MemorySink()
      let process = try #require(recording.processes.first)
      _ = try InstrumentsTrace.write(recording, of: process, to: sink, codec: NoCodec())
      _ = try TraceAnalyzer(try openTrace(sink.bytes)).analyze()
    }
  }
}
