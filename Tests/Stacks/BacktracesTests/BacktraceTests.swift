import Backtraces
import CallStacks
import Foundation
import RunLoopVocabulary
import TestSupport
import Testing

/// Reading and judging texts from debuggers, profilers and crash reporters.
@Suite struct BacktraceTests {
  private struct Expected {
    let name: String
    let kind: BacktraceKind
    let threads: Int
    let blamed: String?
    let place: String?
    let rule: String?
  }

  private static let expected = [
    Expected(
      name: "app.hang", kind: .spindump, threads: 3, blamed: "WeekView.layout()", place: "WeekView.swift:77",
      rule: "text-and-graphics"),
    Expected(
      name: "apple-crash.txt", kind: .appleReport, threads: 2, blamed: "Reader + 4220160", place: nil,
      rule: "queue"),
    Expected(
      name: "crash.ips", kind: .ips, threads: 2, blamed: "Albums.load(from:)", place: "Albums.swift:558",
      rule: "database"),
    Expected(
      name: "dbus.txt", kind: .gdb, threads: 1, blamed: "Battery::percent", place: "battery.cc:30",
      rule: "bus-reply"),
    Expected(
      name: "deadlock.ips", kind: .ips, threads: 2, blamed: "Accounts.rename(_:)", place: "Accounts.swift:52",
      rule: "lock"),
    Expected(
      name: "gdb-broken-lines.txt", kind: .gdb, threads: 1,
      blamed: "(anonymous namespace)::Settings::load<int>",
      place: "settings.cc:15", rule: "unknown-descriptor"),
    Expected(
      name: "gdb-cpp-deadlock.txt", kind: .gdb, threads: 2, blamed: "save_model", place: "pair.cc:14",
      rule: "lock"),
    Expected(
      name: "gdb-cpp-full.txt", kind: .gdb, threads: 2, blamed: "save_model", place: "pair.cc:14",
      rule: "lock"),
    Expected(
      name: "gdb-deadlock.txt", kind: .gdb, threads: 2, blamed: "load_settings", place: "stall.c:18",
      rule: "lock"),
    Expected(
      name: "gdb-full.txt", kind: .gdb, threads: 1, blamed: "load_settings", place: "stall.c:20", rule: nil),
    Expected(
      name: "gdb-poll.txt", kind: .gdb, threads: 1, blamed: "load_settings", place: "stall.c:16",
      rule: "socket-wait"),
    Expected(
      name: "gdb-read.txt", kind: .gdb, threads: 1, blamed: "load_settings", place: "stall.c:15",
      rule: "unknown-descriptor"),
    Expected(
      name: "gdb-swift-deadlock.txt", kind: .gdb, threads: 4,
      blamed: "$s13loop_programs6StallsO12takeTwoLocksyyFZ",
      place: "Tests/Fixtures/LoopPrograms/Stalls.swift:138", rule: "lock"),
    Expected(
      name: "gdb-swift-socket.txt", kind: .gdb, threads: 4,
      blamed: "$s13loop_programs6StallsO17requestFromServeryyFZ",
      place: "Tests/Fixtures/LoopPrograms/Stalls.swift:81", rule: "socket-wait"),
    Expected(
      name: "gdb-swift.txt", kind: .gdb, threads: 2, blamed: "$s5crash5StoreV4readyS2iF", place: nil,
      rule: nil),
    Expected(
      name: "heaviest.txt", kind: .spindump, threads: 1, blamed: "-[Index merge:]", place: nil,
      rule: "own-code-runs"),
    Expected(
      name: "lldb.txt", kind: .lldb, threads: 2, blamed: "-[NoteStore save]", place: "NoteStore.m:41",
      rule: "lock"),
    Expected(
      name: "location.txt", kind: .list, threads: 1, blamed: "TrackRecorder.mayRecord.getter",
      place: "TrackRecorder.swift:88", rule: "location-permission"),
    Expected(
      name: "metrickit.json", kind: .metricKit, threads: 2, blamed: "Shop + 2592912", place: nil,
      rule: "text-and-graphics"),
    Expected(
      name: "plcrashreporter-crash.txt", kind: .plCrashReporter, threads: 2, blamed: "Orchard + 211544",
      place: nil, rule: "database"),
    Expected(
      name: "plcrashreporter-live.txt", kind: .plCrashReporter, threads: 3, blamed: "-[Basket total]",
      place: nil, rule: "lock"),
    Expected(
      name: "sample-socket.txt", kind: .sample, threads: 1, blamed: "Forecast.download(_:)",
      place: "Forecast.swift:88", rule: "socket-wait"),
    Expected(
      name: "sample.txt", kind: .sample, threads: 2, blamed: "static Playlist.read(from: (Swift.Array<A>))",
      place: "Playlist.swift:115", rule: "unknown-descriptor"),
    Expected(
      name: "socket.ips", kind: .ips, threads: 1, blamed: "Forecast.download(_:)", place: "Forecast.swift:88",
      rule: "socket-wait"),
    Expected(
      name: "spindump-deadlock.txt", kind: .spindump, threads: 2, blamed: "Accounts.rename(_:)",
      place: "Accounts.swift:52", rule: "lock"),
    Expected(
      name: "swift-coloured.txt", kind: .swift, threads: 1, blamed: "Store.read(_:)",
      place: "/src/reader/main.swift:4",
      rule: nil),
    Expected(
      name: "swift-cpu.txt", kind: .swift, threads: 1, blamed: "specialized static Stalls.compute()",
      place: "Tests/Fixtures/LoopPrograms/Stalls.swift:52", rule: "own-code-runs"),
    Expected(
      name: "swift-crash-json.txt", kind: .swiftJSON, threads: 1, blamed: "Store.read(_:)",
      place: "/src/reader/main.swift:4", rule: nil),
    Expected(
      name: "swift-crash.txt", kind: .swift, threads: 2, blamed: "Store.read(_:)",
      place: "/src/reader/main.swift:4",
      rule: nil),
    // Swift follows frame pointers, which the C library does not set up.
    Expected(
      name: "swift-lock.txt", kind: .swift, threads: 1, blamed: nil, place: nil, rule: "lock"),
    Expected(
      name: "swift-socket-json.txt", kind: .swiftJSON, threads: 1, blamed: nil, place: nil,
      rule: "socket-wait"),
    Expected(
      name: "swift-socket.txt", kind: .swift, threads: 1, blamed: nil, place: nil, rule: "socket-wait"),
  ]

  @Test func eachTextIsExpected() { #expect(Self.expected.map(\.name) == StackTexts.names) }

  @Test(arguments: expected.indices) func kindThreadBlameAndCause(index: Int) throws {
    let expected = Self.expected[index]
    let bytes = try StackTexts.bytes(expected.name)
    let trace = try BacktraceReader.read(bytes)
    #expect(trace.kind == expected.kind && trace.threads.count == expected.threads)
    let verdicts = try StackTexts.verdicts(bytes)
    let main = try #require(verdicts.first?.main)
    #expect(verdicts.count == 1)
    #expect(main.frame?.name == expected.blamed && main.frame?.place == expected.place)
    #expect(main.match?.rule?.id == expected.rule)
    // The texts may have other line endings.
    let text = String(decoding: bytes, as: UTF8.self)
    let elsewhere = text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n")
    #expect(try BacktraceReader.read(Array(elsewhere.utf8)).kind == expected.kind)
    #expect(try StackTexts.verdicts(Array(elsewhere.utf8)).first?.main?.frame?.name == expected.blamed)
  }

  /// The shared fixture, if it is available.
  static let shared = ProjectFiles.root.deletingLastPathComponent()
    .appendingPathComponent("shared/fixtures/stack-location-auth.txt")

  @Test(.enabled(if: FileManager.default.fileExists(atPath: shared.path), "the shared fixtures are not here"))
  func theLocationPermission() throws {
    let verdict = try #require(
      try StackTexts.verdicts([UInt8](try Data(contentsOf: Self.shared))).first?.main)
    #expect(
      verdict.frame?.name == "+[MKLocationRecorder locationAuthorised]" && verdict.frame?.image == "MyAPPName"
    )
    #expect(verdict.cause == .ipc && verdict.match?.rule?.id == "location-permission")
    #expect(verdict.match?.caller?.name == "_CLCopyTechnologiesInUse")
    #expect(verdict.match?.rule?.remedy?.contains("cached value") == true)
    #expect(verdict.confidence == .low && verdict.reasons.first == .oneSample)
  }

  @Test func whichThread() throws {
    let trace = try BacktraceReader.read(try StackTexts.bytes("app.hang"))
    #expect(trace.program == "Planner")
    #expect(trace.threads(.all).count == 3)
    #expect(trace.threads(.usual).map(\.section) == ["Planner [27952]"])
    #expect(trace.threads(.thread("0xBED")).map(\.name) == ["com.apple.NSEventThread"])
    #expect(trace.threads(.thread("com.apple.main-thread")).count == 2)
    #expect(trace.threads(.thread("7")).isEmpty)
    let gdb = try BacktraceReader.read(try StackTexts.bytes("gdb-deadlock.txt"))
    #expect(
      gdb.threads(.usual).map(\.number) == [1] && gdb.threads(.thread("2")).map(\.name) == ["db writer"])
    let ips = try BacktraceReader.read(try StackTexts.bytes("crash.ips"))
    #expect(ips.threads(.usual).map(\.id) == [1001] && ips.threads(.thread("prefetch")).count == 1)
  }

  @Test func framesHaveTheFactsOfTheText() throws {
    func frames(_ name: String) throws -> [StackFrame] {
      try BacktraceReader.read(try StackTexts.bytes(name)).threads(.usual)[0].stacks()[0].frames
    }
    let swift = try frames("swift-crash.txt")
    #expect(
      swift[3].imagePath == "/src/reader/.build/reader" && swift[3].offset == 64 && swift[6].isMarkedSystem)
    let ips = try frames("crash.ips")
    #expect(ips[3].imageID == "12345678-1234-1234-1234-123456789012" && ips[3].offset == 1239)
    #expect(ips[3].address == 4_330_815_488 + 33_307_833)
    let gdb = try frames("gdb-broken-lines.txt")
    // Templates contain angle brackets.
    let full = try BacktraceReader.read(try StackTexts.bytes("gdb-cpp-full.txt")).threads[0].stacks()[0]
      .frames
    #expect(full.contains { $0.symbol == "std::__invoke_impl<void, void (*)()>" && $0.line == 61 })
    #expect(gdb[2].symbol == "std::vector<int, std::allocator<int> >::operator()(int) const")
    #expect(gdb[2].image == "libstdc++.so.6" && gdb[4].symbol == nil && gdb.count == 6)
    let apple = try frames("apple-crash.txt")
    #expect(apple[4].imageOffset == 4_220_160 && apple[6].file == "FeedList.swift" && apple[6].line == 61)
    #expect(apple[6].imagePath == "/Applications/Reader.app/Contents/MacOS/Reader")
  }

  /// Siblings share the samples of their caller. Samples in which a call went no deeper are also a stack.
  @Test func treesAreFlameGraphs() throws {
    let stacks = try BacktraceReader.read(try StackTexts.bytes("sample.txt")).threads(.usual)[0].stacks()
    #expect(stacks.map(\.samples) == [2000, 10, 400, 290, 57])
    #expect(
      stacks.map { $0.frames[0].name }.suffix(3) == [
        "read", "JSONDecoder.decode<A>(_:from:)", "Player + 24556",
      ])
    #expect(stacks.allSatisfy { $0.frames.last?.name == "start" })
    let metric = try BacktraceReader.read(try StackTexts.bytes("metrickit.json")).threads(.usual)[0]
    #expect(metric.section == "hangDiagnostics 1, 2.3 sec" && metric.number == 1)
    #expect(try metric.stacks().map(\.samples) == [14, 6])
    #expect(try metric.stacks()[0].frames.map(\.image) == ["CoreText", "Shop", "UIKitCore", "Shop"])
  }

  /// Trees with hundreds and thousands of levels: the reader does not recurse.
  @Test func deepTrees() throws {
    func text(_ depth: Int) -> String {
      let frame = #"{"binaryName":"App","address":1,"offsetIntoBinaryTextSegment":2,"sampleCount":3"#
      return #"{"callStacks":[{"callStackRootFrames":["#
        + String(repeating: frame + #","subFrames":["#, count: depth - 1) + frame + "}"
        + String(repeating: "]}", count: depth - 1) + "]}]}"
    }
    let trace = try BacktraceReader.read(Array(text(1500).utf8))
    #expect(try trace.threads[0].stacks().map(\.frames.count) == [1500])
    #expect(StackTexts.mistake(text(5000))?.contains("more than 4096 nested calls") == true)
    #expect(
      StackTexts.mistake(String(repeating: "[", count: 100_000)) == "line 1: JSON of more than 16384 levels")
  }
}
