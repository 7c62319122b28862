import Foundation
import TestSupport
import Testing

/// `rltrace analyze --profile` and `--detector`.
@Suite struct ProfileTests {
  private func analyze(_ options: [String], _ name: String) throws -> [String: Any] {
    let result = try Program.rltrace.run(
      ["analyze", "--format", "json"] + options + [SampleTraces.virtual(name)])
    #expect(result.status == 0, "\(result.errors)")
    return try JSONValues(result.output).root
  }

  /// The gaps and their limits: 12 s of the 20 s for a launch, 3 s of 10 s, 4.2 s of 10 s, and 5 s of 6 s.
  @Test func watchdog() throws {
    let report = try analyze(["--profile", "watchdog"], "watchdog-phases")
    let gaps = try #require(report["gaps"] as? [[String: Any]])
    let pairs = gaps.map { ($0["duration_ns"] as? UInt64 ?? 0, $0["limit_ns"] as? UInt64 ?? 0) }
    #expect(pairs.map { $0.0 / 100_000_000 } == [120, 30, 42, 50])
    #expect(pairs.map { $0.1 / 1_000_000_000 } == [20, 10, 10, 6])
    let findings = try #require(report["findings"] as? [[String: Any]]).filter {
      $0["rule"] as? String == "RL003"
    }
    #expect(findings.flatMap { $0["subjects"] as? [Any] ?? [] }.count == 4)
  }

  @Test func ownProfile() throws {
    let folder = try TemporaryFolder()
    let file = folder.file("mine.yaml")
    try "profile: mine\nlimit: 50ms\ndeferrable: [refresh (default only)]\nlimits: {active: 1s}\n".write(
      toFile: file, atomically: true, encoding: .utf8)
    let report = try analyze(["--profile", file], "timer-starvation")
    #expect(report["profile"] as? String == "mine")
    let findings = try #require(report["findings"] as? [[String: Any]])
    // Declared starvation is shown, but is not an error.
    #expect(findings.contains { $0["rule"] as? String == "RL008" && $0["severity"] as? String == "info" })
    #expect(!findings.contains { $0["severity"] as? String == "error" })
  }

  /// Keys for the tiers of stutter and for the time of each background task.
  @Test func tiersAndTasks() throws {
    let folder = try TemporaryFolder()
    let file = folder.file("tiers.yaml")
    try "profile: tiers\nlimit: 10s\nlist from: 1s\nstutter: 2s\nbackground per task: 160s\n".write(
      toFile: file, atomically: true, encoding: .utf8)
    func severities(_ rule: String, _ sample: String) throws -> [String] {
      let findings = try #require(
        try analyze(["--profile", file], sample)["findings"] as? [[String: Any]])
      return findings.filter { $0["rule"] as? String == rule }.compactMap { $0["severity"] as? String }
    }
    #expect(Set(try severities("RL003", "stall-in-timer")) == ["warning"])
    // Two tasks take 140 s and 150 s. The third one expired, and the last one takes 60 s.
    #expect(try severities("RL030", "background-task-cycle") == ["info", "info"])
  }

  @Test(arguments: [
    ("profile: x\n", "a profile needs 'limit'"), ("profile: x\nlimit: five\n", "expected a time"),
    ("profile: x\nlimit: 5s\nlimits: {launch: 3s}\n", "unknown key 'launch' in limits"),
    ("profile: x\nlimit: 5s\ndeferrable: all\n", "expected a list"), ("- 1\n", "a profile"), ("", "empty"),
  ])
  func mistakesInAProfile(text: String, message: String) throws {
    let folder = try TemporaryFolder()
    try text.write(toFile: folder.file("bad.yaml"), atomically: true, encoding: .utf8)
    let result = try Program.rltrace.run(
      ["analyze", "--profile", folder.file("bad.yaml"), SampleTraces.virtual("modes")])
    #expect(result.status == 65)
    #expect(result.output.isEmpty && result.errors.contains(message), "\(result.errors)")
    #expect(result.errors.split(separator: "\n").count == 1)
  }

  @Test func unknownNames() throws {
    let profile = try Program.rltrace.run(["analyze", "--profile", "fast", SampleTraces.virtual("modes")])
    #expect(
      profile.status == 64
        && profile.errors.contains("interactive, watchdog, monitor, monitor-1s, monitor-3s"))
    let detector = try Program.rltrace.run([
      "analyze", "--detector", "apple,orange", SampleTraces.virtual("modes"),
    ])
    #expect(detector.status == 64)
  }

  @Test func detectorsInTheOrderAskedFor() throws {
    let report = try analyze(["--detector", "kscrash,apple"], "stall-in-timer")
    let detectors = try #require(report["detectors"] as? [[String: Any]])
    #expect(detectors.compactMap { $0["name"] as? String } == ["kscrash", "apple"])
    #expect(detectors.allSatisfy { $0["count"] as? Int == 2 })
    // A repeated option adds to the earlier ones.
    let repeated = try analyze(
      ["--detector", "kscrash", "--detector", "apple,kscrash"], "stall-in-timer")
    #expect(
      (repeated["detectors"] as? [[String: Any]])?.compactMap { $0["name"] as? String } == [
        "kscrash", "apple",
      ])
    let standard = try #require(try analyze([], "modes")["detectors"] as? [[String: Any]])
    #expect(standard.compactMap { $0["name"] as? String } == ["apple", "semaphore-3s"])
  }
}
