import Foundation
import TestSupport
import Testing

/// `rltrace watch` beside real recordings.
@Suite(.ownThread) struct WatchTests {
  /// A recording under way.
  private final class Recording {
    let folder: TemporaryFolder
    private let process = Process()
    var trace: String { folder.file("out.rltrace") }
    var recorder: Int32 { process.processIdentifier }

    init(_ program: Program, _ arguments: [String], options: [String] = []) throws {
      folder = try TemporaryFolder()
      process.executableURL = URL(fileURLWithPath: Program.rltrace.path)
      process.arguments =
        ["record", "-q", "--allow-empty", "--no-symbols", "-o", "out.rltrace"] + options + [
          "--", program.path,
        ]
        + program.allArguments(arguments)
      process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      process.standardInput = FileHandle.nullDevice
      try process.run()
    }

    deinit { end() }

    /// The recorded program; nil while it does not run.
    var program: Int32? {
      let path = "/proc/\(recorder)/task/\(recorder)/children"
      return (try? String(contentsOfFile: path, encoding: .utf8))?.split(separator: " ").first.flatMap {
        Int32($0)
      }
    }

    var isRunning: Bool { process.isRunning }

    /// Kills the program and waits for the trace.
    func end() {
      if let program { kill(program, SIGKILL) }
      if process.isRunning { process.waitUntilExit() }
    }

    func watch(_ arguments: String...) throws -> Program.Result {
      try Program.rltrace.run(["watch"] + arguments, folder: folder.path)
    }
  }

  private static func tables(_ json: String) throws -> [String: Any] {
    let value = try JSONSerialization.jsonObject(with: Data(json.utf8))
    return try #require(value as? [String: Any] ?? (value as? [[String: Any]])?.first)
  }

  /// The counts of what happened, by table and row. Times that last until the trace ends are left out.
  private static func counts(_ json: String) throws -> [String: Int] {
    let tables = try tables(json)
    var counts: [String: Int] = [:]
    for (table, identity, keys) in [
      ("timers", ["id"], ["fired", "objects"]), ("callouts", ["kind", "name", "thread"], ["count"]),
      ("modes", ["loop", "mode", "thread"], ["passes", "wakes", "polls"]),
      ("loops", ["loop"], ["runs", "passes"]),
      ("sources", ["name"], ["signals", "callouts"]), ("marks", ["name"], ["count"]),
    ] {
      for row in tables[table] as? [[String: Any]] ?? [] {
        let name = identity.map { "\(row[$0] ?? "")" }.joined(separator: " ")
        for key in keys { counts["\(table) \(name) \(key)", default: 0] += row[key] as? Int ?? 0 }
      }
    }
    return counts
  }

  private static let programs: [(Program, [String])] = [
    (.loopPrograms, ["timers", "2000"]), (Program("field-programs"), ["poll-until-now"]),
    (Program("field-programs"), ["poll-distant-past"]), (Program("field-programs"), ["frame-loop"]),
    (Program("field-programs"), ["modal-poller"]), (Program("field-programs"), ["leaky-rows"]),
    (Program("field-programs"), ["many-loops"]), (Program("field-programs"), ["remove-from-common"]),
    (Program("field-programs"), ["overdue-one-shots"]), (Program("field-programs"), ["answer-behind-wait"]),
  ]

  /// A stopped program records nothing more, so the view and the finished trace have the same counts.
  @Test(arguments: programs.indices) func onceEqualsAnalyze(number: Int) throws {
    let (program, arguments) = Self.programs[number]
    let recording = try Recording(program, arguments)
    try #require(
      isEventuallyTrue(withinS: 20) { recording.program != nil && TraceFiles.hasSpool(recording.trace) })
    usleep(UInt32(700_000))
    if let process = recording.program { kill(process, SIGSTOP) }
    usleep(300_000)
    let watched = try recording.watch("out.rltrace", "--once", "--format", "json")
    recording.end()
    try #require(watched.status == 0, "\(watched.errors)")
    let analyzed = try Program.rltrace.run(["analyze", recording.trace, "--format", "json"])
    try #require(analyzed.status == 0, "\(analyzed.errors)")
    let (before, after) = (try Self.counts(watched.output), try Self.counts(analyzed.output))
    #expect(before == after, "\(arguments)")
    #expect(!before.isEmpty, "\(arguments)")
  }

  @Test func findsARecordingByItsProcesses() throws {
    let recording = try Recording(.loopPrograms, ["timers", "20000"])
    try #require(
      isEventuallyTrue(withinS: 20) { recording.program != nil && TraceFiles.hasSpool(recording.trace) })
    usleep(300_000)
    for process in [recording.program, recording.recorder].compactMap(\.self) {
      let watched = try recording.watch("\(process)", "--once", "--format", "json")
      #expect(watched.status == 0, "\(watched.errors)")
    }
    let own = try recording.watch("\(getpid())", "--once")
    #expect(own.status == 66 && own.errors.contains("is not being recorded"), "\(own.errors)")
    let none = try recording.watch("other.rltrace")
    #expect(none.status == 66 && none.errorLines.count == 1, "\(none.errors)")
  }

  @Test func endsWithTheRecording() throws {
    let recording = try Recording(
      .loopPrograms, ["timers", "3000"], options: ["--duration", "2s", "--stop"])
    try #require(isEventuallyTrue(withinS: 20) { TraceFiles.hasSpool(recording.trace) })
    let watched = try recording.watch("out.rltrace", "--interval", "200ms", "--format", "jsonl")
    #expect(watched.status == 0 && watched.errors.contains("the recording ended"), "\(watched.errors)")
    let lines = watched.output.split(separator: "\n")
    #expect(lines.count > 1)
    for line in lines { _ = try Self.tables(String(line)) }
    let late = try recording.watch("out.rltrace")
    #expect(late.status == 66 && late.errors.contains("rltrace analyze out.rltrace"), "\(late.errors)")
  }

  /// The timers' creation is no longer in a ring when the view begins: the written part has it.
  @Test func knowsTheTimersThatWereMadeLongBefore() throws {
    let recording = try Recording(.loopPrograms, ["timers", "60000"])
    try #require(isEventuallyTrue(withinS: 20) { TraceFiles.hasSpool(recording.trace) })
    sleep(5)
    let watched = try recording.watch("out.rltrace", "--for", "2500ms", "--format", "jsonl")
    try #require(watched.status == 0, "\(watched.errors)")
    let lines = watched.output.split(separator: "\n")
    #expect(!lines.isEmpty)
    for line in lines {
      let timers = try #require(try Self.tables(String(line))["timers"] as? [[String: Any]])
      #expect(!timers.isEmpty)
      for timer in timers {
        #expect((timer["name"] as? String)?.hasPrefix("timer #") == false)
        #expect((timer["modes"] as? [String])?.isEmpty == false && timer["due"] is Int)
      }
    }
  }

  /// The recorder and the program are killed, so that nothing more is written.
  @Test func namesRecoverWhenTheRecorderIsGone() throws {
    let recording = try Recording(.loopPrograms, ["timers", "20000"])
    try #require(
      isEventuallyTrue(withinS: 20) { recording.program != nil && TraceFiles.hasSpool(recording.trace) })
    usleep(300_000)
    let program = recording.program
    kill(recording.recorder, SIGKILL)
    if let program { kill(program, SIGKILL) }
    #expect(isEventuallyTrue(withinS: 10) { !recording.isRunning })
    let watched = try recording.watch("out.rltrace")
    #expect(watched.status == 66 && watched.errors.contains("rltrace recover"), "\(watched.errors)")
  }

  /// A hang is reported with its callout while it lasts.
  @Test func showsAHangBeforeItEnds() throws {
    let recording = try Recording(.loopPrograms, ["hang", "8", "6000"])
    try #require(isEventuallyTrue(withinS: 20) { TraceFiles.hasSpool(recording.trace) })
    let watched = try recording.watch("out.rltrace", "--interval", "100ms", "--for", "4s")
    let isRunning = recording.isRunning
    #expect(watched.status == 0, "\(watched.errors)")
    #expect(watched.output.contains("(hang)") && watched.output.contains(" IN "), "\(watched.output)")
    #expect(isRunning)
  }
}

private enum TraceFiles {
  static func hasSpool(_ trace: String) -> Bool { FileManager.default.fileExists(atPath: trace + ".spool") }
}
