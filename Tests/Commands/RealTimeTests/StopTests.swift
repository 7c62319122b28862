import Foundation
import TestSupport
import Testing

/// A recorded program that is stopped and continued.
@Suite(.ownThread) struct StopTests {
  /// Events about code, which are written at the end of a recording.
  private static let ofCode: Set<Substring> = ["imageMap", "name.code", "frameName"]

  /// Returns the words of the events on the recorder's own threads, from a dump, without those about code.
  private func eventsOfTheRecorder(_ trace: String) throws -> [[Substring]] {
    let dump = try Program.rltrace.run(["dump", trace])
    #expect(dump.status == 0, "\(dump.errors)")
    let lines = dump.output.split(separator: "\n")
    let own = Set(
      lines.filter { $0.hasSuffix(" os=0 main=no \"(recorder)\"") }.compactMap {
        $0.split(separator: " ").first
      })
    // One thread for the observations of the process, one for the names of functions.
    #expect(own.count <= 2)
    var section: Substring = ""
    var found: [[Substring]] = []
    for line in lines {
      if line.first != " " { section = line }
      guard line.first == " ", own.contains(where: { section == "events thread=\($0)" }) else { continue }
      let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
      if !Self.ofCode.contains(words[1]) { found.append(words) }
    }
    // No other thread has such events.
    for kind in [" process.stop ", " process.continue ", " heartbeat "] {
      #expect(lines.count { $0.contains(kind) } == found.count { " \($0[1]) " == kind })
    }
    return found
  }

  private func record(_ options: [String], while script: String) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    let result = try Program(
      shell: """
        rltrace=$0 program=$1; shift
        "$rltrace" record -q -o out.rltrace "${@:1}" -- "$program" timers 1000 >said & recorder=$!
        for i in $(seq 500); do
          process=$(cat /proc/$recorder/task/$recorder/children); [ -n "$process" ] && break; sleep 0.01
        done
        sleep 0.3
        \(script)
        wait $recorder
        """
    ).run([Program.rltrace.path, Program.loopPrograms.path] + options, folder: folder.path)
    #expect(result.status == 0, "\(result.errors)")
    #expect(try String(contentsOfFile: folder.file("said"), encoding: .utf8) == "fires 1000\n")
    return folder
  }

  @Test(arguments: [[], ["--max-size", "64M"], ["--flight-recorder", "30"]])
  func stopAndContinue(options: [String]) throws {
    let folder = try record(
      options, while: "kill -STOP $process; sleep 0.4; kill -CONT $process; sleep 0.1; kill -CONT $process")
    #expect(folder.names == ["out.rltrace", "said"])
    let events = try eventsOfTheRecorder(folder.file("out.rltrace")).filter { $0[1] != "heartbeat" }
    #expect(
      events.map { $0[1...2].joined(separator: " ") } == [
        "process.stop signal=19", "process.continue signal=18", "process.end status=0",
      ])
    let times = events.compactMap { UInt64($0[0]) }
    #expect(times.count == 3 && times == times.sorted() && times[0] < times[1])
    try expectSuspensionAndNoHang(folder.file("out.rltrace"))
  }

  /// Checks the results of `analyze` for a program that was stopped for 0.4 s.
  private func expectSuspensionAndNoHang(_ trace: String) throws {
    let result = try Program.rltrace.run(["analyze", "--format", "json", trace])
    #expect(result.status == 0, "\(result.errors)")
    let report = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
    let facts = try #require(report?["trace"] as? [String: Any])
    let suspended = try #require(facts["suspended_ns"] as? UInt64)
    #expect(suspended >= 300_000_000, "suspended for \(suspended) ns")
    let busy = try #require(report?["busy"] as? [[String: Any]])
    #expect(busy.allSatisfy { ($0["duration_ns"] as? UInt64 ?? .max) < 300_000_000 })
    let rules = try #require(report?["findings"] as? [[String: Any]]).compactMap { $0["rule"] as? String }
    #expect(rules.contains("RL021") && !rules.contains("RL002"))
  }

  @Test func twice() throws {
    let stop = "kill -STOP $process; sleep 0.2; kill -CONT $process; sleep 0.1"
    let folder = try record([], while: "\(stop); \(stop)")
    let events = try eventsOfTheRecorder(folder.file("out.rltrace")).filter { $0[1] != "heartbeat" }
    let stopped = ["process.stop", "process.continue"]
    #expect(events.map { String($0[1]) } == stopped + stopped + ["process.end"])
  }

  @Test func noStop() throws {
    let folder = try record([], while: ":")
    let events = try eventsOfTheRecorder(folder.file("out.rltrace"))
    #expect(events.map { $0[1] }.filter { $0 != "heartbeat" } == ["process.end"])
  }

  /// Program and recorder stop together, as when the machine is frozen. The recorder wakes late, and its beat
  /// contains the program's CPU time.
  @Test func recorderAndProgram() throws {
    let folder = try record(
      [], while: "kill -STOP $process $recorder; sleep 0.4; kill -CONT $recorder $process")
    let events = try eventsOfTheRecorder(folder.file("out.rltrace"))
    func argument(_ name: String, of event: [Substring]) -> UInt64? {
      event.first { $0.hasPrefix("\(name)=") }.flatMap { UInt64($0.dropFirst(name.count + 1)) }
    }
    let beat = try #require(
      events.filter { $0[1] == "heartbeat" }.max {
        (argument("late_ns", of: $0) ?? 0) < argument("late_ns", of: $1) ?? 0
      })
    #expect(argument("late_ns", of: beat) ?? 0 >= 300_000_000, "\(beat)")
    #expect(argument("cpu_ns", of: beat) != nil, "\(beat)")
  }

  /// Recovery finds the notes after both processes were killed.
  @Test(arguments: [[], ["--max-size", "64M"]])
  func killedAfterwards(options: [String]) throws {
    let folder = try TemporaryFolder()
    _ = try Program(
      shell: """
        rltrace=$0 program=$1; shift
        "$rltrace" record -q -o out.rltrace "${@:1}" -- "$program" timers 100000 & recorder=$!
        for i in $(seq 500); do
          process=$(cat /proc/$recorder/task/$recorder/children); [ -n "$process" ] && break; sleep 0.01
        done
        sleep 0.3; kill -STOP $process; sleep 0.3; kill -CONT $process; sleep 0.3
        kill -9 $recorder $process; wait $recorder
        """
    ).run([Program.rltrace.path, Program.loopPrograms.path] + options, folder: folder.path)
    let recovered = try Program.rltrace.run(["recover", "out.rltrace.spool"], folder: folder.path)
    #expect(recovered.status == 0, "\(recovered.errors)")
    let events = try eventsOfTheRecorder(folder.file("out.rltrace")).filter { $0[1] != "heartbeat" }
    #expect(events.map { $0[1] } == ["process.stop", "process.continue"])
  }
}
