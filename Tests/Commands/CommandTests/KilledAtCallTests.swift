import Foundation
import TestSupport
import Testing
import TraceFormat

/// SIGKILL before each system call with which a recording changes a file. Stored events are in a trace afterwards, at
/// the latest after a recovery, and nothing prevents the next recording.
///
/// Each test tries some of the calls, or all of them when RLTRACE_TEST_KILLS is set.
@Suite(.ownThread, .optimizedBuild) struct KilledAtCallTests {
  private static let isWhole = ProcessInfo.processInfo.environment["RLTRACE_TEST_KILLS"] != nil
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Runs `command` to its end, then kills it before one call after another until it makes no more. `check` follows
  /// each run; `prepare` creates the files that exist before each run.
  private func atEachCall(
    _ command: [String], prepare: () throws -> Void = {}, check: (Program.Result) throws -> Void
  ) throws {
    var random = SeededGenerator(named: command.dropFirst().joined(separator: " "))
    var number = 0, kills = 0
    while true {
      // The first kill is early, because some commands make few calls.
      number += KilledAtCallTests.isWhole ? 1 : 1 + Int(random.next() % (kills == 0 ? 9 : 19))
      for name in folder.names { try FileManager.default.removeItem(atPath: folder.file(name)) }
      try prepare()
      let result = try Program("kill-at-call").run(["\(number)"] + command, folder: folder.path)
      try check(result)
      guard result.status == 137 else {
        #expect(result.status == 0, "\(result)")
        break
      }
      kills += 1
    }
    #expect(kills > 0)
    if KilledAtCallTests.isWhole { print("\(kills) kills of \(command.dropFirst().joined(separator: " "))") }
  }

  /// Returns the number of events in all traces of the folder, except those that a later recording kept. Expects
  /// complete traces.
  private func count(_ kind: EventKind) throws -> Int {
    try folder.names.filter { $0.hasSuffix(".rltrace") && !$0.contains(".old") }.reduce(0) { sum, name in
      let reader = try openTrace(path: folder.file(name))
      #expect(reader.isClean)
      return try sum + EventCounts(reader)[kind]
    }
  }

  /// Recovers all spools of the folder. Returns the number of empty ones.
  @discardableResult
  private func recoverAll(_ killed: Program.Result) throws -> Int {
    var empty = 0
    for spool in folder.names where spool.hasSuffix(".spool") {
      let recovered = try Program.rltrace.run(["recover", spool], folder: folder.path)
      let isEmpty = recovered.status == 66 && recovered.errorLines.count == 1
      #expect(recovered.status == 0 || isEmpty, "\(killed) \(recovered)")
      empty += isEmpty ? 1 : 0
    }
    return empty
  }

  private func expectTracesOnly(_ result: Program.Result) {
    #expect(result.status == 0, "\(result)")
    #expect(
      folder.names.allSatisfy { $0.hasSuffix(".rltrace") || $0.hasPrefix(".") }, "\(result) \(folder.names)")
  }

  /// Kills the recorder while the program continues. `counts`: the possible numbers of recorded fires. A program that
  /// begins after its recorder was killed is not recorded.
  private func theRecorder(_ options: [String], _ program: [String], counts: [Int]) throws {
    let command =
      ["record", "-q", "-o", "t.rltrace"] + options + ["--", Program.loopPrograms.path] + program
    var most = 0
    try atEachCall([Program.rltrace.path] + command) { killed in
      let empty = try recoverAll(killed)
      let fires = try count(.timerBegin)
      #expect(counts.contains(fires), "\(fires) \(killed)")
      // The spool of a program that ran exists, and its recovery reports that it is empty.
      #expect(fires > 0 || empty == 1 || killed.output.isEmpty, "\(killed) \(folder.names)")
      most = max(most, fires)
      expectTracesOnly(try Program.rltrace.run(command, folder: folder.path))
    }
    #expect(most == counts.last)
  }

  @Test(arguments: [[], ["--flight-recorder", "60"], ["--max-size", "64k"]])
  func theRecorder(options: [String]) throws {
    try theRecorder(options, ["timers", "20"], counts: [0, 20])
  }

  @Test func theRecorderOfTwoProcesses() throws { try theRecorder([], ["spawn"], counts: [0, 1, 8]) }

  /// Returns the files with exactly this content.
  private func names(of content: Data) throws -> [String] {
    try folder.names.filter { try Data(contentsOf: URL(fileURLWithPath: folder.file($0))) == content }
  }

  /// The trace of an earlier recording exists at every moment under one of two names, next to the stored events of
  /// the new recording.
  @Test(arguments: [[], ["--flight-recorder", "60"]]) func anEarlierTrace(options: [String]) throws {
    let earlier = try Data(SampleTraces.bytes(virtual: "modes"))
    func places() throws -> [String] { try names(of: earlier) }
    func prepare() throws { try earlier.write(to: URL(fileURLWithPath: folder.file("t.rltrace"))) }
    let command =
      ["record", "-q", "-o", "t.rltrace"] + options + ["--", Program.loopPrograms.path, "timers", "20"]
    var most = 0
    try atEachCall([Program.rltrace.path] + command, prepare: prepare) { killed in
      let atOnce = try places()
      #expect(atOnce == ["t.rltrace"] || atOnce == ["t.old1.rltrace"], "\(killed) \(folder.names)")
      try recoverAll(killed)
      let place = try #require(try places().first, "\(killed) \(folder.names)")
      let fires = place == "t.rltrace" ? 0 : try count(.timerBegin)
      #expect(fires == 20 || place == "t.rltrace", "\(fires) \(killed)")
      most = max(most, fires)
    }
    #expect(most == 20)
  }

  /// The program is its own recorder. No event that it reported as stored is missing.
  @Test func aProgramThatEmbeds() throws {
    try atEachCall([Program("sequence-fixture").path, "stopped", "t.rltrace"]) { killed in
      try recoverAll(killed)
      let marks = try count(.mark)
      #expect(marks == 500 || !killed.output.contains("marked"), "\(marks) \(killed)")
      expectTracesOnly(try Program("sequence-fixture").run(["stopped", "t.rltrace"], folder: folder.path))
      #expect(try count(.mark) == 500)
    }
  }

  @Test func aScenario() throws {
    let scenario = """
      scenario: marks
      about: marks, and time for the recorder to write between them
      thread:
      """ + (1...10).map { "\n  - mark: m\($0)\n  - run: {for: 5ms}" }.joined()
    let command = ["record", "-q", "-o", "t.rltrace", "--scenario", "marks.yaml"]
    func prepare() throws {
      try scenario.write(toFile: folder.file("marks.yaml"), atomically: false, encoding: .utf8)
    }
    try atEachCall([Program.rltrace.path] + command, prepare: prepare) { killed in
      try recoverAll(killed)
      #expect(try count(.mark) <= 10)
      let next = try Program.rltrace.run(command, folder: folder.path)
      let names = folder.names.filter { $0 != "t.old1.rltrace" }
      #expect(next.status == 0 && names == ["marks.yaml", "t.rltrace"], "\(killed) \(next)")
      #expect(try count(.mark) == 10)
    }
  }

  /// Kills a recovery and repeats it, for a recording in one part or in segments, and while segments are being joined.
  @Test(arguments: [
    ([], 17, false), (["--max-size", "64k"], 14, false), (["--max-size", "64k"], 25, true), ([], 17, true),
  ])
  func recovering(options: [String], killedAt call: Int, besideEarlierTrace: Bool) throws {
    let state = try TemporaryFolder()
    // Before the trace gets its name.
    _ = try Program("kill-at-call").run(
      ["\(call)", Program.rltrace.path, "record", "-q", "-o", "t.rltrace"] + options
        + ["--", Program.loopPrograms.path, "timers", "20"], folder: state.path)
    try #require(state.names.contains("t.rltrace.spool") && !state.names.contains("t.rltrace"))
    let earlier = try Data(SampleTraces.bytes(virtual: "modes"))
    func prepare() throws {
      for name in state.names {
        try FileManager.default.copyItem(atPath: state.file(name), toPath: folder.file(name))
      }
      if besideEarlierTrace { try earlier.write(to: URL(fileURLWithPath: folder.file("t.rltrace"))) }
    }
    try atEachCall([Program.rltrace.path, "recover", "t.rltrace.spool"], prepare: prepare) { killed in
      if besideEarlierTrace { #expect(try names(of: earlier).count == 1, "\(killed) \(folder.names)") }
      try recoverAll(killed)
      #expect(try count(.timerBegin) == 20, "\(killed)")
      #expect(folder.names == (besideEarlierTrace ? ["t.old1.rltrace"] : []) + ["t.rltrace"], "\(killed)")
    }
  }
}
