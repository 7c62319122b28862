import Foundation
import Scenario
import TestSupport
import Testing
import TraceFormat

/// `rltrace scenarios` and `rltrace record --scenario`.
@Suite struct ScenarioCommandTests {
  @Test func listAndShow() throws {
    let list = try Program.rltrace.run(["scenarios"])
    #expect(list.status == 0)
    #expect(
      list.output.split(separator: "\n").map { String($0.prefix { $0 != " " }) } == ScenarioLibrary.names)
    let text = try Program.rltrace.run(["scenarios", "show", "five-causes"])
    #expect(text.output == ScenarioLibrary.text("five-causes"))
    let unknown = try Program.rltrace.run(["scenarios", "show", "six-causes"])
    #expect(unknown.status == 64 && unknown.errorLines.count == 1 && unknown.errors.contains("five-causes"))
  }

  /// A shown scenario can be recorded. In virtual time, the trace has the same bytes as the sample.
  @Test func virtual() throws {
    let folder = try TemporaryFolder()
    let text = try #require(ScenarioLibrary.text("background-task-cycle"))
    try text.write(toFile: folder.file("mine.yaml"), atomically: true, encoding: .utf8)
    let result = try Program.rltrace.run(
      ["record", "--scenario", "mine.yaml", "--virtual", "--codec", "none"], folder: folder.path)
    #expect(result.status == 0 && result.errorLines.count == 2, "\(result.errors)")
    #expect(folder.names == ["background-task-cycle.rltrace", "mine.yaml"])
    let bytes = [UInt8](
      try Data(contentsOf: URL(fileURLWithPath: folder.file("background-task-cycle.rltrace"))))
    #expect(try bytes == SampleTraces.bytes(virtual: "background-task-cycle"))
  }

  /// The clock belongs to the whole system.
  @Test func aScenarioThatSetsTheClockIsVirtual() throws {
    let folder = try TemporaryFolder()
    let result = try Program.rltrace.run(["record", "--scenario", "clock-change"], folder: folder.path)
    #expect(result.status == 64 && result.errors.contains("--virtual") && folder.names.isEmpty)
    let virtual = try Program.rltrace.run(
      ["record", "--scenario", "clock-change", "--virtual", "-o", "c.rltrace"], folder: folder.path)
    #expect(virtual.status == 0, "\(virtual.errors)")
    let text = try Program.rltrace.run(["analyze", "c.rltrace"], folder: folder.path).output
    #expect(text.contains("the wall clock was set forward by 3600 s meanwhile"), "\(text)")
    func gate(_ timer: String) throws -> Int32 {
      try Program.rltrace.run(
        ["gate", "c.rltrace", "--rule", "due(timer=\"\(timer)\") == 60"], folder: folder.path
      ).status
    }
    #expect(try gate("tea (monotonic clock)") == 0)
    #expect(try gate("tea (corrected twice)") == 1)
    #expect(try gate("tea (wall clock)") == 1)
  }

  /// Real work: another process, a lock, files, a connection and a stop.
  @Test func realWork() throws {
    let folder = try TemporaryFolder()
    let text = """
      scenario: all work
      timers:
        - {name: t, first: 1ms, do: [ipc: 5ms, network: 5ms, disk: 5ms, lock: 5ms, sleep: 5ms, cpu: 5ms]}
      thread:
        - run: {for: 10ms}
        - suspend: 300ms
      """
    try text.write(toFile: folder.file("work.yaml"), atomically: true, encoding: .utf8)
    let result = try Program.rltrace.run(["record", "--scenario", "work.yaml"], folder: folder.path)
    #expect(result.status == 0, "\(result.errors)")
    #expect(folder.names == ["all work.rltrace", "work.yaml"])
    let reader = try openTrace(path: folder.file("all work.rltrace"))
    let events = try reader.allEvents().flatMap { $0 }
    let begin = try #require(events.first { $0.kind == EventKind.timerBegin.rawValue })
    let end = try #require(events.first { $0.kind == EventKind.timerEnd.rawValue })
    #expect((end.time - begin.time) * 10 >= 30_000_000)
    #expect(reader.lastTime * 10 >= 300_000_000)
  }

  /// A failed test prints its arguments, so the long text is made from a short one.
  @Test(arguments: [
    ("scenario: x\nthread:\n  - walk: 1s\n", 1, "x.yaml:3: no step 'walk'"),
    ("", 1, "the file is empty"),
    ("a: 1\n", 110_000, "more than 524288 bytes of text"),
  ])
  func mistakes(text: String, times: Int, what: String) throws {
    let folder = try TemporaryFolder()
    try String(repeating: text, count: times).write(
      toFile: folder.file("x.yaml"), atomically: true, encoding: .utf8)
    let result = try Program.rltrace.run(
      ["record", "--scenario", "x.yaml", "--virtual"], folder: folder.path)
    #expect(
      result.status == 65 && result.errorLines.count == 1 && result.errors.contains(what),
      "\(result.errors)")
    #expect(folder.names == ["x.yaml"])
  }

  @Test func filesThatAreNotThere() throws {
    let missing = try Program.rltrace.run(["record", "--scenario", "no/such.yaml"])
    #expect(missing.status == 66 && missing.errors.contains("No such file"))
    let unknown = try Program.rltrace.run(["record", "--scenario", "no-such"])
    #expect(unknown.status == 64 && unknown.errors.contains("timer-starvation"))
  }
}
