import Foundation
import TestSupport
import Testing

/// `rltrace what-if`.
@Suite struct WhatIfCommandTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private let starving = SampleTraces.path("virtual/starvation-default-only.rltrace")

  private func whatIf(_ arguments: String...) throws -> Program.Result {
    try Program.rltrace.run(["what-if"] + arguments, folder: folder.path)
  }

  private func document(_ arguments: String...) throws -> [String: Any] {
    let result = try Program.rltrace.run(["what-if", "--format", "json"] + arguments, folder: folder.path)
    return try #require(try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
  }

  @Test func aStarvingTimerInTheCommonModes() throws {
    let result = try whatIf(starving, "--do", "timer refresh in common")
    #expect(result.status == 0 && result.errors.isEmpty)
    for text in [
      "exact: without a change, the replay repeats the 3917 events", "exact, if the assumptions hold",
      "gone error RL001", "arrivals from other threads keep their times",
    ] {
      #expect(result.output.contains(text), "\(result.output)")
    }
    let figures = try #require(
      try document(starving, "--do", "timer refresh in common")["figures"] as? [[String: Any]])
    let skipped = try #require(figures.first { $0["name"] as? String == "skipped" })
    #expect(skipped["base"] as? Int == 199 && skipped["predicted"] as? Int == 0)
  }

  @Test func thePredictionIsATrace() throws {
    let result = try whatIf(
      starving, "--do", "timer refresh in common", "-o", "predicted.rltrace", "--html", "page.html")
    #expect(result.status == 0 && result.errors.contains("wrote predicted.rltrace"))
    #expect(try Program.rltrace.run(["validate", folder.file("predicted.rltrace")]).status == 0)
    let info = try Program.rltrace.run(["info", folder.file("predicted.rltrace")]).output
    #expect(info.contains("what_if: timer refresh in common") && info.contains("assumes: arrivals"))
    let compared = try Program.rltrace.run(
      ["compare", folder.file("predicted.rltrace"), SampleTraces.path("virtual/starvation-common.rltrace")])
    #expect(compared.output.contains("Verdict: No difference."))
    let page = try String(contentsOfFile: folder.file("page.html"), encoding: .utf8)
    #expect(page.contains("prediction") && page.contains("RL001"))
  }

  @Test func severalChangesOfAFile() throws {
    try "changes:\n  - timer refresh in common\n  - callout refresh takes 2ms\n"
      .write(toFile: folder.file("fix.yaml"), atomically: true, encoding: .utf8)
    let changes = try #require(
      try document(starving, "--changes", "fix.yaml", "--do", "nothing")["changes"] as? [[String: Any]])
    #expect(
      changes.compactMap { $0["text"] as? String }.sorted() == [
        "callout refresh takes 2ms", "nothing", "timer refresh in common",
      ])
    try "changes:\n  - refresh\n".write(toFile: folder.file("bad.yaml"), atomically: true, encoding: .utf8)
    #expect(try whatIf(starving, "--changes", "bad.yaml").status == 64)
  }

  @Test func theMostUsefulChangeIsFirst() throws {
    let tried = try #require(
      try document(SampleTraces.path("virtual/stuttering-app.rltrace"), "--rank")["tried"] as? [[String: Any]]
    )
    #expect((tried.first?["change"] as? String)?.contains("main-queue block") == true)
    #expect((tried.first?["hangs_removed_ns"] as? Double ?? 0) > 2e9)
    #expect(tried.contains { ($0["fires_won_back"] as? Double ?? 0) > 0 && $0["exact"] as? Bool == true })
  }

  @Test func undecided() throws {
    let refused = try whatIf(
      starving, "--do", "remove finger down", "--format", "json")
    #expect(refused.status == 2 && refused.output.contains("\"outcome\" : \"undecided\""))
    let noise = try whatIf(
      SampleTraces.path("real/timer-starvation.rltrace"), "--do", "nothing", "--tolerance", "1ns")
    #expect(noise.status == 2 && noise.output.contains("(--tolerance)"))
  }

  @Test(arguments: [
    (["--do", "timer refesh in common"], "there are timer \"refresh\""),
    (["--do", "refresh"], "changes are:"),
    ([], "give a change with --do, or --rank"),
    (["--rank", "--do", "nothing"], "cannot be combined with --do"),
    (["--do", "nothing", "-o", "-"], "name a file"),
  ])
  func usage(arguments: [String], message: String) throws {
    let result = try Program.rltrace.run(["what-if", starving] + arguments)
    #expect(result.status == 64 && result.output.isEmpty && result.errors.contains(message), "\(result)")
  }
}
