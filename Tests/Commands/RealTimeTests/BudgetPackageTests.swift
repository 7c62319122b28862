import Foundation
import RunLoopVocabulary
import TestSupport
import Testing
import TraceAnalysis

/// A package with budgets in its tests, run by `swift test` like a user's. Exactly the tests with a fault fail.
@Suite(.ownThread, .serialized) struct BudgetPackageTests {
  /// A test that fails, and the texts of its message.
  struct Fault: Sendable {
    let test: String
    let texts: [String]
    /// Lists of further texts. Its message has all texts of one list.
    var alternatives: [[String]] = [[]]
    var hasTrace = true

    private var isOfXCTest: Bool { !test.hasSuffix("()") }
    /// The beginning of its message.
    var start: String {
      isOfXCTest ? "BudgetXCTests.\(test) : failed" : "Test \(test) recorded an issue"
    }
    var trace: String { isOfXCTest ? "files/\(test)().rltrace" : "attachments/\(test).rltrace" }
    /// Why the stack was sampled that the message shows; nil = it shows none.
    var reason: StackReason? {
      if texts.contains(where: { $0.contains("slowWork()") }) { return .stalled }
      return alternatives.joined().contains { $0.contains("poll(for:)") } ? .spinning : nil
    }
  }

  /// A run of the package's tests, with its traces.
  private struct TestRun {
    let folder: TemporaryFolder
    let result: Program.Result
    let lines: [String]

    /// Runs the tests whose names match a pattern; nil = all.
    init(_ pattern: String? = nil) throws {
      try BudgetPackageTests.build.get()
      folder = try TemporaryFolder()
      result = try Program(
        shell: """
          mkdir "$0/attachments"
          RLTRACE_BUDGET_TRACES="$0/files" exec swift test --skip-build --attachments-path "$0/attachments" "$@" 2>&1
          """
      ).run(
        [folder.path] + BudgetPackageTests.fixture.options + (pattern.map { ["--filter", $0] } ?? []))
      lines = result.output.split(separator: "\n").map(String.init)
    }

    /// Returns the first line of a fault's message and the lines after it.
    func message(of fault: Fault) -> String {
      guard let first = lines.firstIndex(where: { $0.contains(fault.start) }) else { return "" }
      return lines[first..<min(first + 4, lines.count)].joined(separator: "\n")
    }

    /// Returns whether a fault left no trace, or one with the stack that its message shows.
    func isComplete(_ fault: Fault) throws -> Bool {
      let path = folder.file(fault.trace)
      guard let reason = fault.reason, FileManager.default.fileExists(atPath: path) else { return true }
      return try BudgetPackageTests.hasStack(reason, in: path)
    }
  }

  /// The sentence of a finding, or that for fewer polls than a finding needs, as on a busy machine. Both name the
  /// function that runs the loop if the sampled stacks show exactly one.
  private static let polls = [
    [
      "RL011: ", " of \"kCFRunLoopDefaultMode\" returned at once without serving anything",
      "The function \"poll(for:) Work.swift:",
    ],
    [
      "the loop polls: ", " of mode \"kCFRunLoopDefaultMode\" returned at once and served nothing, from ",
      ", started by poll(for:) Work.swift:",
    ],
  ]

  static let swiftTesting = [
    Fault(
      test: "hangInATimer()",
      texts: ["max(busy) < 100ms: ", "a callout of kind timer", "slowWork() Work.swift:"]),
    Fault(test: "hangInANamedTimer()", texts: ["timer \"refresh\" took", "slowWork() Work.swift:"]),
    Fault(test: "hangInABlock()", texts: ["a callout of kind block", "slowWork() Work.swift:"]),
    Fault(test: "hangInAnObserver()", texts: ["observers \"BeforeTimers\" took", "slowWork() Work.swift:"]),
    Fault(test: "starvation()", texts: ["skipped(timer=refresh) == 0: ", "refresh"]),
    Fault(
      test: "lateFrames()",
      texts: ["hitch_ratio(frames=display) < 5ms/s: ", "timer \"decode\" is behind "]),
    Fault(test: "nestedRun()", texts: ["max(busy) < 100ms: ", "slowWork() Work.swift:"]),
    Fault(test: "pollLoop()", texts: ["count(pass) < 20: "], alternatives: polls),
    Fault(test: "noLoop()", texts: ["no run loop ran in this test"]),
    Fault(test: "hangInASuite()", texts: ["a callout of kind timer", "slowWork() Work.swift:"]),
    Fault(test: "pollInASuite()", texts: ["count(pass) < 20: "], alternatives: polls),
    Fault(
      test: "withoutALoopInASuite()",
      texts: ["undecided: no run loop ran in this test: it did not call onRunLoop"],
      hasTrace: false),
    Fault(
      test: "onTheMainLoop()", texts: ["undecided: this test runner does not run the main loop"],
      hasTrace: false),
    Fault(
      test: "onTheMainLoopInParallel()",
      texts: ["undecided: tests share the main loop; use @Suite(.serialized, .runLoop())"],
      hasTrace: false),
    Fault(
      test: "typingError()", texts: ["max(bussy) < 100ms: column 5: max needs a series"], hasTrace: false),
  ]

  static let xctest =
    [
      Fault(
        test: "testHangInATimer",
        texts: ["max(busy) < 100ms: ", "a callout of kind timer", "slowWork() Work.swift:"]),
      Fault(test: "testHangInANamedTimer", texts: ["timer \"refresh\" took", "slowWork() Work.swift:"]),
      Fault(test: "testHangInABlock", texts: ["a callout of kind block", "slowWork() Work.swift:"]),
      Fault(
        test: "testHangOnTheMainQueue",
        texts: ["a callout of kind main-queue-block", "slowWork() Work.swift:"]),
      Fault(
        test: "testHangInAnObserver", texts: ["observers \"BeforeTimers\" took", "slowWork() Work.swift:"]),
      Fault(test: "testStarvation", texts: ["skipped(timer=refresh) == 0: ", "refresh"]),
      Fault(test: "testNestedRun", texts: ["max(busy) < 100ms: ", "slowWork() Work.swift:"]),
      Fault(test: "testPollLoop", texts: ["count(pass) < 20: "], alternatives: polls),
      Fault(test: "testNoLoop", texts: ["no run loop ran in this test"]),
      Fault(
        test: "testTypingError", texts: ["max(bussy) < 100ms: column 5: max needs a series"], hasTrace: false),
    ]

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func exactlyTheListedTestsFail() throws {
    let all = try TestRun()
    let end = all.result.output.suffix(4000)
    #expect(all.result.status != 0, "\(end)")
    let failedSwiftTesting = Set(
      all.lines.compactMap {
        $0.firstMatch(of: /✘ Test ([a-zA-Z]+)\([a-z:]*\) (with \d+ test cases )?failed after/)
      }
      .map { "\($0.1)()" })
    #expect(failedSwiftTesting == Set(Self.swiftTesting.map(\.test)), "\(end)")
    let failedXCTest = Set(
      all.lines.compactMap { $0.firstMatch(of: /Test Case 'BudgetXCTests\.([a-zA-Z]+)' failed/) }.map {
        String($0.1)
      })
    #expect(failedXCTest == Set(Self.xctest.map(\.test)), "\(end)")

    for fault in Self.swiftTesting + Self.xctest {
      var run = all
      // On a busy machine, a fault may end before its stack is sampled.
      for _ in 0..<4 {
        if try run.isComplete(fault) { break }
        run = try TestRun("/\(fault.test)")
      }
      #expect(try run.isComplete(fault), "\(fault.test): no stack was sampled in five runs")
      let message = run.message(of: fault)
      for text in fault.texts { #expect(message.contains(text), "\(fault.test): \(message)") }
      let isComplete = fault.alternatives.contains { texts in texts.allSatisfy { message.contains($0) } }
      #expect(isComplete, "\(fault.test): \(message)")
      if fault.hasTrace { try expectReadable(run.folder.file(fault.trace)) }
    }
  }

  /// Returns whether a trace has a stack that was sampled for this reason. The stacks of a loop that spins have to show
  /// exactly one function that runs the loop, or the message names none. A sample after the polls may show another one.
  fileprivate static func hasStack(_ reason: StackReason, in trace: String) throws -> Bool {
    let analysis = try TraceAnalyzer(openTrace(path: trace)).analyze()
    guard reason == .spinning else { return analysis.sampledStacks.contains { $0.reason == reason } }
    return analysis.modes.contains { analysis.runCaller(ofThread: $0.thread) != nil }
  }

  private static let fixture = FixturePackage("BudgetPackage")
  /// The package is built once.
  private static let build = Result { try fixture.build("--build-tests") }

  /// Returns the path of the package's tests.
  private func builtTests() throws -> String {
    try Self.build.get()
    return Self.fixture.product("BudgetPackagePackageTests.xctest")
  }

  /// A recorded run of the tests gives the verdicts of the tests themselves.
  @Test func gateJudgesEachTestAlike() throws {
    let recorded = try Program.rltrace.run([
      "record", "-o", folder.file("suite.rltrace"), "--", try builtTests(), "LoopXCTests.BudgetXCTests",
    ])
    #expect(recorded.status != 0)
    let judged = try Program.rltrace.run([
      "gate", folder.file("suite.rltrace"), "--per-test", "--rule", "max(busy) < 100ms",
    ])
    let broken = judged.output.split(separator: "\n").compactMap {
      $0.firstMatch(of: /^BROKEN     ([a-zA-Z]+)\(\): max/).map { String($0.1) }
    }
    let hangs = Self.xctest.filter { $0.texts.contains { $0.contains("slowWork") } }.map(\.test)
    #expect(judged.status == 1 && Set(broken) == Set(hangs), "\(judged.output)")
    #expect(judged.output.contains("undecided  testNoLoop(): "), "\(judged.output)")
  }

  /// A loop that is blocked for good ends the test run with evidence.
  @Test func theMessageOfABlockedLoop() throws {
    let tests = try builtTests()
    let trace = folder.file("files/testBlockedLoop().rltrace")
    var run: Program.Result
    var runs = 0
    // On a busy machine, the loop's limit may pass before its stack is sampled.
    repeat {
      run = try Program(
        shell: """
          RLTRACE_BUDGET_ABORT=1 RLTRACE_BUDGET_SCALE=0.01 RLTRACE_BUDGET_TRACES="$1/files" SWIFT_BACKTRACE=enable=no \
            exec "$0" LoopXCTests.BlockedLoopXCTests/testBlockedLoop
          """
      ).run([tests, folder.path])
      try #require(run.status == SIGABRT, "\(run)")
      runs += 1
    } while try runs < 5 && !Self.hasStack(.stalled, in: trace)
    try GeneratedFile.expect("Tests/Golden/budget-abort.golden", is: normalized(run.errors))
    try expectReadable(trace)
  }

  /// Returns a message without numbers, folders and the frames of libraries outside the test.
  private func normalized(_ message: String) -> String {
    let frames = message.split(separator: "\n").map(String.init)
    let first = frames.firstIndex { $0.contains("slowWork()") } ?? 0
    let last = frames.lastIndex { $0.contains("BlockedLoopXCTests.testBlockedLoop()") } ?? 0
    let kept = frames.enumerated().filter {
      !$0.element.hasPrefix("  ") || (first...max(first, last)).contains($0.offset)
    }
    return kept.map(\.element).joined(separator: "\n").replacing(folder.path, with: "FOLDER")
      .replacing(/[0-9.]+ (ms|s|µs)/, with: "N ms").replacing(/\.swift:[0-9]+/, with: ".swift:N") + "\n"
  }

  private func expectReadable(_ trace: String) throws {
    #expect(FileManager.default.fileExists(atPath: trace), "\(trace)")
    let analyzed = try Program.rltrace.run(["analyze", "--strict", trace])
    #expect(analyzed.status == 0, "\(trace): \(analyzed.errors)")
  }
}
