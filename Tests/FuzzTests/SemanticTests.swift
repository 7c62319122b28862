import FuzzTargets
import TestSupport
import Testing
import TextReport
import TraceAnalysis
import TraceFormat

/// Creates every output of valid traces with absurd content. No output may trap, show wrong content or exceed its
/// limit. RLTRACE_TEST_ROUNDS sets the number of rounds.
@Suite struct SemanticTests {
  @Test(.optimizedBuild) func everyOutputOfAbsurdTraces() throws {
    var random = SeededGenerator(named: "absurd traces")
    for _ in 0..<TestRounds.value(15) {
      let bytes = (0..<(random.next() % 400)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      let trace = try FuzzTarget.absurdTrace(bytes)
      let complaints = FuzzTarget.outputComplaints(trace)
      #expect(complaints == [], "\(TestSeed.note)")
    }
  }

  /// The traces contain every event kind of the table.
  @Test func everyKindOfEvent() throws {
    var seen: Set<UInt8> = []
    var random = SeededGenerator(named: "absurd kinds")
    for _ in 0..<200 {
      let bytes = (0..<300).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      for event in try openTrace(FuzzTarget.absurdTrace(bytes)).allEvents().flatMap({ $0 }) {
        seen.insert(event.kind)
      }
    }
    let missing = EventTable.definitions.filter { !seen.contains($0.kind.rawValue) }.map(\.name)
    #expect(missing == [], "\(TestSeed.note)")
  }

  /// Each target handles its seeds and a few changes to them with a result or an error.
  @Test(arguments: FuzzTarget.all.map(\.name)) func seeds(name: String) throws {
    let target = try #require(FuzzTarget.named(name))
    var random = SeededGenerator(named: "seeds of \(name)")
    let seeds = target.seeds(ofAtMost: 1 << 16).prefix(8)
    // The target `semantic` makes traces from random decisions, and has its own test.
    for (file, seed) in seeds where name != "semantic" {
      #expect(target.complaints(seed) == [], "\(file)")
      guard !seed.isEmpty else { continue }
      var changed = seed
      changed[Int(random.next() % UInt64(seed.count))] ^= 1 << UInt8(random.next() % 8)
      #expect(target.complaints(changed) == [], "\(file), \(TestSeed.note)")
    }
    #expect(!seeds.isEmpty)
  }

  /// Found by `spool`: two rings with the same thread made blocks whose times run backwards.
  @Test func ringsThatClaimTheSameThread() throws {
    let patches = """
      7f0000053ae8e8e852a68900000001020d0065540a1a0a010101000000001f00000000000004000000001b0041e8e8007652
      4c540000e8e8e8e8e8e881ffffffffffffff27250100cb000a3b52424c537402ffffffff000014091a15004f540c3a0a3a0a
      52424c537402ffffff280879ff747b00004f540d3a0a3a0ae20a2000000a010000800021000089010000020140e8e8e8a689
      03
      """.filter { $0 != "\n" }
    let bytes = stride(from: 0, to: patches.count, by: 2).map {
      UInt8(patches.dropFirst($0).prefix(2), radix: 16)!
    }
    #expect(try #require(FuzzTarget.named("spool")).complaints(bytes) == [])
  }

  /// Found by `semantic`: JSON and JSON lines contained these characters unchanged.
  @Test func charactersThatReverseText() throws {
    let names = ["\u{202E}gnp.exe", "\u{2066}", "\u{7F}\u{80}", "\u{2028}", "\u{FEFF}", "\u{10FFFF}", "日本語"]
    let trace = try HostileNames.trace(names)
    #expect(FuzzTarget.outputComplaints(trace) == [])
    let json = try AnalysisJSON.encode([("x", try TraceAnalyzer(openTrace(trace)).analyze())])
    for escaped in ["\\u202egnp.exe", "\\u007f\\u0080", "\\udbff\\udfff", "日本語"] {
      #expect(json.contains(escaped), "\(escaped)")
    }
  }
}
