import Foundation
import TestSupport
import Testing
import TraceFormat

/// The built program, run as a user runs it.
@Suite struct CommandTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Makes a short recording of the scenario, and returns its path.
  private func recorded(_ options: String...) throws -> String {
    let path = folder.file("starvation.rltrace")
    let result = try Program.rltrace.run(
      ["record", "--scenario", "timer-starvation", "--time-scale", "0.1", "-o", path] + options)
    try #require(result.status == 0, "\(result.errors)")
    // In a pipe, the output is plain lines.
    #expect(result.errors.contains("recording: timer-starvation\n"))
    #expect(!result.errors.contains("\u{1B}"))
    return path
  }

  @Test func recordAndAnalyze() throws {
    let path = try recorded()
    #expect(folder.names == ["starvation.rltrace"])
    let result = try Program.rltrace.run(["analyze", path])
    #expect(result.status == 0)
    #expect(result.errors.isEmpty)
    #expect(result.output.contains("Verdict: error RL001, timer starves in a mode that it is not in, "))
    #expect(result.output.contains("UITrackingRunLoopMode"))
    // Commands are never cut.
    for line in result.output.split(separator: "\n").prefix(while: { $0 != "Next" }) {
      #expect(line.count <= 100, "\(line)")
    }
    #expect(!result.output.contains("\u{1B}"), "no colours in a pipe")
  }

  @Test func theVerdictInJSONIsTheTopFinding() throws {
    for sample in ["detect-poll-loop", "modes", "detect-idle", "starvation-common"] {
      let result = try Program.rltrace.run(["analyze", SampleTraces.virtual(sample), "--format", "json"])
      let json = try JSONValues(result.output).root
      let verdict = try #require(json["verdict"] as? [String: Any])
      let top = (json["findings"] as? [[String: Any]])?.first
      #expect(verdict["rule"] as? String == top?["rule"] as? String)
      #expect(verdict["severity"] as? String == top?["severity"] as? String)
      let isFault = top.map { $0["severity"] as? String != "info" } ?? false
      #expect(verdict["outcome"] as? String == (isFault ? "fault" : "clear"))
      if isFault { #expect(verdict["text"] as? String == top?["text"] as? String) }
    }
  }

  @Test func anEmptySpanIsUndecided() throws {
    let sample = SampleTraces.virtual("starvation-common")
    let text = try Program.rltrace.run(["analyze", sample, "--from", "100"])
    #expect(text.status == 0 && text.output.contains("Verdict: Undecided: the span begins at 100.000000 s"))
    let result = try Program.rltrace.run(["analyze", sample, "--from", "100", "--format", "json"])
    #expect(result.output.contains("\"outcome\" : \"undecided\""))
  }

  @Test func briefIsVerdictAndFindings() throws {
    let sample = SampleTraces.virtual("five-causes")
    let brief = try Program.rltrace.run(["analyze", sample, "--brief"])
    #expect(brief.status == 0 && brief.output.contains("Verdict: ") && brief.output.contains("\nFindings\n"))
    #expect(!brief.output.contains("\nTimers\n") && !brief.output.contains("\nModes\n"))
    let json = try Program.rltrace.run(["analyze", sample, "--brief", "--format", "json"])
    #expect(json.status == 64 && json.output.isEmpty)
    let both = try Program.rltrace.run(["analyze", sample, "--brief", "--full"])
    #expect(both.status == 64 && both.output.isEmpty)
    // Output into a pipe is complete, as with --full.
    let pipe = try Program.rltrace.run(["analyze", sample])
    #expect(pipe.output == (try Program.rltrace.run(["analyze", sample, "--full"]).output))
    #expect(pipe.output.contains("\nModes\n"))
  }

  @Test func linesAreAsWideAsCOLUMNSSays() throws {
    for width in [60, 140] {
      let result = try Program(
        shell: "COLUMNS=\(width) \"$0\" analyze \"$1\""
      ).run([Program.rltrace.path, SampleTraces.virtual("five-causes")], folder: folder.path)
      #expect(result.status == 0)
      let widest = result.output.split(separator: "\n").map(\.count).max() ?? 0
      #expect(widest <= width && widest > width - 30)
    }
  }

  @Test(arguments: ["1ns", "10ns", "100ns", "1us"], ["none", "zstd"])
  func dumpAndAssemble(unit: String, codec: String) throws {
    let path = try recorded("--time-unit", unit, "--codec", codec)
    let text = try Program.rltrace.run(["dump", path])
    #expect(text.status == 0)
    let copy = folder.file("copy.rltrace")
    let assembled = try Program.rltrace.run(["assemble", "-", "-o", copy], input: text.output)
    #expect(assembled.status == 0, "\(assembled.errors)")
    #expect(try Data(contentsOf: URL(fileURLWithPath: copy)) == Data(contentsOf: URL(fileURLWithPath: path)))
  }

  @Test func json() throws {
    let path = try recorded()
    let result = try Program.rltrace.run(["analyze", path, "--format", "json"])
    let json = try JSONValues(result.output).root
    #expect(json["schema"] as? String == "rltrace.analysis/1")
    for key in ["trace", "loops", "modes", "gaps", "busy", "timers"] { #expect(json[key] != nil, "\(key)") }
    let timers = try #require(json["timers"] as? [[String: Any]])
    let common = try #require(timers.first { $0["name"] as? String == "refresh (common)" })
    #expect((common["skipped_by"] as? [String: Int])?["wrong_mode"] == 0)
    for key in [
      "name", "objects", "interval_ns", "modes", "due", "fired", "skipped", "withdrawn", "pending",
      "lateness_ns",
      "overdue_by_mode_ns",
    ] { #expect(common[key] != nil, "\(key)") }
    let both = try Program.rltrace.run(["analyze", path, path, "--format", "json"])
    #expect((try JSONSerialization.jsonObject(with: Data(both.output.utf8)) as? [Any])?.count == 2)
  }

  @Test func windowsModesAndThreads() throws {
    let path = try recorded()
    func timers(_ options: String...) throws -> [[String: Any]] {
      let result = try Program.rltrace.run(["analyze", path, "--format", "json"] + options)
      #expect(result.status == 0, "\(result.errors)")
      let json = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
      return try #require(json?["timers"] as? [[String: Any]])
    }
    let early = try #require(
      try timers("--to", "0.09").first { $0["name"] as? String == "refresh (default only)" })
    #expect((early["skipped_by"] as? [String: Int])?["wrong_mode"] == 0)
    #expect(try timers("--mode", "UITrackingRunLoopMode").count == 2)
    #expect(try timers("--thread", "other threads").isEmpty)
    #expect(try timers("--thread", "main").count == 3)
    let start = try #require(
      try Program.rltrace.run(["info", path]).output.split(separator: "\n").first { $0.hasPrefix("started") }?
        .split(separator: " ").last)
    #expect(try timers("--from", String(start) + (start.hasSuffix("Z") ? "" : "Z")).count == 3)
  }

  /// After Ctrl-C, the trace has the events recorded until then.
  @Test(arguments: [(SIGINT, Int32(130)), (SIGTERM, Int32(143))])
  func interrupted(signal: Int32, status: Int32) throws {
    let result = try Program(
      shell:
        "\"$0\" record --scenario timer-starvation --time-scale 10 -o cut.rltrace & sleep 0.6; kill -\(signal) $!; wait $!"
    ).run([Program.rltrace.path], folder: folder.path)
    #expect(result.status == status, "\(result.errors)")
    #expect(folder.names == ["cut.rltrace"])
    let info = try Program.rltrace.run(["info", folder.file("cut.rltrace")])
    #expect(info.status == 0)
    #expect(info.output.contains("clean"))
  }

  @Test func aClosedPipeIsNotAnError() throws {
    let path = try recorded()
    let result = try Program(shell: "\"$0\" dump \"$1\" | head -1; exit ${PIPESTATUS[0]}").run([
      Program.rltrace.path, path,
    ])
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output == "rltrace-text 1\n")
    #expect(result.errors.isEmpty)
  }

  @Test func versionAndHelp() throws {
    let version = try Program.rltrace.run(["--version"])
    #expect(version.status == 0)
    #expect(version.output.hasPrefix("rltrace "))
    for command in [[], ["record"], ["analyze"], ["info"], ["dump"], ["assemble"]] {
      let help = try Program.rltrace.run(command + ["--help"])
      #expect(help.status == 0)
      #expect(help.output.contains("Examples:") || help.output.contains("rltrace "), "\(command)")
    }
  }

  @Test func hostileNamesAreShownHarmlessly() throws {
    let name = "\\u{1b}[31mred\\u{202e}\\n" + String(repeating: "x", count: 10_000)
    let text = """
      rltrace-text 1
      header minor=0 unit=1us codec=none capture=callouts clock=virtual high=no
      strings
        1 "\(name)"
      modes
        1 "\(name)"
      events thread=0
        0 loop.create #1 name=1
        0 timer.create #2 name=1 interval_ns=1000000 tolerance_ns=0 due=1000 site=1
        0 timer.add #2 mode=1 loop=1
        0 Entry.low m1 #1
        10 BeforeTimers.low m1 #1
        20 source0.begin m1 #2
        900000 source0.end m1 #2
        900010 Exit.low m1 #1
      end

      """
    let path = folder.file("hostile.rltrace")
    try #require(try Program.rltrace.run(["assemble", "-", "-o", path], input: text).status == 0)
    for command in [
      ["analyze", path], ["info", path], ["dump", path], ["analyze", path, "--format", "json"],
    ] {
      let result = try Program.rltrace.run(command)
      #expect(result.status == 0)
      let harmful = result.output.unicodeScalars.contains {
        $0.value == 0x1B || (command.last != "json" && $0.value == 0x202E)
      }
      #expect(!harmful, "\(command)")
    }
    for line in try Program.rltrace.run(["analyze", path]).output.split(separator: "\n") {
      #expect(line.count <= 100)
    }
  }
}
