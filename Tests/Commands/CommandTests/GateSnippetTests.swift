import Foundation
import TestSupport
import Testing
import Yams

/// The steps for GitHub Actions on the page of `rltrace gate`, and the job for GitLab: their commands run as written.
@Suite struct GateSnippetTests {
  private func steps() throws -> [[String: Any]] {
    let page = try ProjectFiles.text("docs/reference/commands/gate.md")
    let section = try #require(page.components(separatedBy: "## In GitHub Actions\n").last)
    let lines = section.split(separator: "\n").filter { $0.hasPrefix("    ") }.map { $0.dropFirst(4) }
    return try #require(try Yams.load(yaml: lines.joined(separator: "\n")) as? [[String: Any]])
  }

  @Test(arguments: [("max(gap) < 1000s", Int32(0)), ("fired(timer=nobody) > 0", 2), ("count(pass) < 1", 1)])
  func commandsRun(rule: String, status: Int32) throws {
    let folder = try TemporaryFolder()
    try "rules:\n  - \(rule)\n".write(toFile: folder.file("budget.yaml"), atomically: true, encoding: .utf8)
    let commands = try steps().compactMap { $0["run"] as? String }
    #expect(commands.count == 3)
    // A program of this package replaces the page's app.
    let script = commands.prefix(2).joined(separator: "\n").replacing(
      "./app --ui-test", with: "\(Program.loopPrograms.path) timers 5")
    #expect(script.contains(Program.loopPrograms.path))
    let bin = URL(fileURLWithPath: Program.rltrace.path).deletingLastPathComponent().path
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let result = try Program(shell: "set -e; " + script).run(
      [], environment: ["PATH": "\(bin):\(path)"], folder: folder.path)
    #expect(result.status == status, "\(result.output)\(result.errors)")
    for file in ["app.rltrace", "gate.xml", "gate.sarif", "gate.md"] {
      #expect(FileManager.default.fileExists(atPath: folder.file(file)), "\(file)")
    }
    // A separate step, which runs whatever the result of the gate is.
    let summary = try Program(shell: "set -e; " + commands[2]).run(
      [], environment: ["GITHUB_STEP_SUMMARY": folder.file("summary.md")], folder: folder.path)
    #expect(summary.status == 0, "\(summary.errors)")
    let text = try String(contentsOfFile: folder.file("summary.md"), encoding: .utf8)
    #expect(text.hasPrefix("### ") && text.contains("| rule | measured | limit |"), "\(text)")
  }

  /// Later steps use the files that the commands write.
  @Test func laterStepsUseTheWrittenFiles() throws {
    let with = try steps().compactMap { $0["with"] as? [String: Any] }
    #expect(with.compactMap { $0["sarif_file"] as? String } == ["gate.sarif"])
    #expect(with.compactMap { $0["path"] as? String } == ["app.rltrace"])
  }

  /// Nothing is built, and the baseline is the recording itself.
  @Test(arguments: [true, false]) func jobForGitLab(hasBaseline: Bool) throws {
    let page = try ProjectFiles.text("docs/howto/use-in-ci.md")
    let section = try #require(page.components(separatedBy: "## GitLab\n").last)
    let block = try #require(section.components(separatedBy: "```yaml\n").dropFirst().first)
    let yaml = try #require(block.components(separatedBy: "```").first)
    let jobs = try #require(try Yams.load(yaml: yaml) as? [String: [String: Any]])
    let job = try #require(jobs["run-loops"])
    let commands = try #require(job["script"] as? [String]).joined(separator: "\n")
    let script = commands.replacing(
      ".build/release/App --ui-test", with: "\(Program.loopPrograms.path) timers 5")
    #expect(script != commands)
    let stubs = """
      set -e
      swift() { :; }
      curl() { for url; do :; done; echo "$url" >url; \(hasBaseline ? "cp app.rltrace baseline.rltrace" : "return 22"); }

      """
    let folder = try TemporaryFolder()
    try "rules:\n  - max(gap) < 1000s\n".write(
      toFile: folder.file("budget.yaml"), atomically: true, encoding: .utf8)
    let bin = URL(fileURLWithPath: Program.rltrace.path).deletingLastPathComponent().path
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let result = try Program(shell: stubs + script).run(
      [],
      environment: [
        "PATH": "\(bin):\(path)", "CI_API_V4_URL": "https://example.com/api/v4", "CI_PROJECT_ID": "1",
        "CI_JOB_NAME": "run-loops", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "release/2",
      ], folder: folder.path)
    #expect(result.status == 0, "\(result)")
    #expect(result.output.contains("(baseline ") == hasBaseline, "\(result)")
    let url = try String(contentsOfFile: folder.file("url"), encoding: .utf8)
    #expect(url.hasSuffix("/projects/1/jobs/artifacts/release%2F2/raw/app.rltrace?job=run-loops\n"))
    let reports = try #require((job["artifacts"] as? [String: Any])?["reports"] as? [String: String])
    for file in reports.values {
      #expect(FileManager.default.fileExists(atPath: folder.file(file)), "\(file)")
    }
  }
}
