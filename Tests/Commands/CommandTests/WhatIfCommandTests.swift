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
    return try JSONValues(result.output).root
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

  /// The functions of the callout that a change shortens, by sampled stacks.
  @Test func theFunctionOfAChange() throws {
    let trace = SampleTraces.path("real/stalls.rltrace")
    let tried = try #require(try document(trace, "--rank", "--tolerance", "1s")["tried"] as? [[String: Any]])
    let change = "timer \"closure #2 in Stalls.run(_:)\" takes at most 8ms"
    let entry = try #require(tried.first { $0["change"] as? String == change }, "\(tried)")
    let function = try #require(entry["function"] as? String)
    #expect(
      function.hasPrefix("Stalls.") && (entry["source_file"] as? String)?.hasSuffix("Stalls.swift") == true)
    let line = try #require(entry["source_line"] as? Int)
    let (held, sampled) = (entry["function_ns"] as? Int ?? 0, entry["sampled_ns"] as? Int ?? 0)
    #expect(held > 0 && held < sampled)
    // Each of the functions holds a gap of its own.
    let result = try Program.rltrace.run(["analyze", "--format", "json", trace])
    let stalls = try #require(try JSONValues(result.output).root["stalls"] as? [[String: Any]])
    let longest = stalls.compactMap { $0["blamed_ns"] as? Int }.max() ?? 0
    #expect(held * 10 >= longest * 9)
    let text = try whatIf(trace, "--rank", "--tolerance", "1s").output.split { $0.isWhitespace }
      .joined(separator: " ")
    #expect(text.contains("8ms: \"\(function) Stalls.swift:\(line)\" held the thread for "), "\(text)")
    // Virtual traces have no stacks.
    let others = try #require(
      try document(SampleTraces.path("virtual/stuttering-app.rltrace"), "--rank")["tried"] as? [[String: Any]]
    )
    #expect(others.allSatisfy { $0["function"] is NSNull && $0["function_ns"] is NSNull })
  }

  /// A stack sample that found the thread blocked means that the time may belong to a lock or to another thread.
  @Test func blockedSamplesAreDoubts() throws {
    func doubts(_ file: String, _ change: String) throws -> [String] {
      try #require(
        try document(SampleTraces.path(file), "--do", change, "--tolerance", "1s")["doubts"] as? [String])
    }
    let timer = "\"closure #2 in Stalls.run(_:)\""
    for change in ["timer \(timer) takes 1ms", "timer \(timer) takes x 0.5"] {
      let found = try #require(
        try doubts("real/stalls.rltrace", change).first { $0.contains("found its thread blocked") })
      #expect(
        found.contains(" samples inside ") && found.contains(" on a lock that another thread held"),
        "\(found)")
    }
    #expect(
      try !doubts("real/stalls.rltrace", "nothing").contains { $0.contains("found its thread blocked") })
    #expect(
      try !doubts("real/timer-starvation.rltrace", "timer \"refresh (default only)\" takes 50us")
        .contains { $0.contains("found its thread blocked") })
  }

  @Test func findingsHaveTheirWorth() throws {
    func analyzed(_ arguments: String...) throws -> [[String: Any]] {
      let result = try Program.rltrace.run(["analyze", "--format", "json"] + arguments)
      let document = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
      return try #require(document?["findings"] as? [[String: Any]])
    }
    let starved = try #require(try analyzed(starving, "--worth").first { $0["rule"] as? String == "RL001" })
    let worth = try #require(starved["worth"] as? [String: Any])
    #expect(worth["changes"] as? [String] == ["timer \"refresh\" in common"])
    #expect(worth["fires_won_back"] as? Double == 199 && worth["hangs_left"] as? Int == 0)
    #expect(worth["busy_ns"] as? Double == 19_900_000)
    #expect(
      worth["text"] as? String
        == "199 fires recovered, 19.9 ms more busy time, with 'timer \"refresh\" in common'")
    #expect(try analyzed(starving).allSatisfy { $0["worth"] is NSNull })
    let text = try Program.rltrace.run(["analyze", "--full", "--worth", starving])
    #expect(text.status == 0 && text.output.contains("worth: 199 fires recovered"), "\(text.output)")
    let page = try Program.rltrace.run(["report", "--worth", "-o", "-", starving]).output
    #expect(page.contains("<b>Worth</b>") && page.contains("199 fires recovered"))
    // In a real recording, callouts differ in length, so there are only bounds.
    let real = try #require(
      try analyzed(SampleTraces.path("real/timer-starvation.rltrace"), "--worth")
        .compactMap { $0["worth"] as? [String: Any] }.first)
    #expect(real["exact"] as? Bool == false && (real["residue_ns"] as? Int ?? 0) > 0)
    #expect((real["text"] as? String)?.contains("at least") == true)
    #expect(try Program.rltrace.run(["analyze", "--worth", "--from", "1", starving]).status == 64)
  }

  /// Five callouts of 50 ms take 187.5 ms from the frames. With 7 ms, each frame is ready before its next point.
  @Test func hitchesWonBack() throws {
    let scenario = """
      scenario: decoding
      timers: [{name: display, every: 15625us, frames: true, do: [cpu: 1ms]}]
      sources: [{name: decode, do: [cpu: 50ms]}]
      others: [{at: 100ms, every: 200ms, until: 900ms, do: [signal: decode, wake up]}]
      thread: [run: {for: 990ms}]
      """
    try scenario.write(toFile: folder.file("decoding.yaml"), atomically: true, encoding: .utf8)
    let recorded = try Program.rltrace.run(
      ["record", "--virtual", "--scenario", "decoding.yaml", "-o", "decoding.rltrace"], folder: folder.path)
    try #require(recorded.status == 0, "\(recorded.errors)")
    let trace = folder.file("decoding.rltrace")
    let figures = try #require(
      try document(trace, "--do", "source decode takes at most 7ms")["figures"] as? [[String: Any]]
    ).filter { $0["subject"] as? String == "frames of timer \"display\"" }
    #expect(figures.compactMap { $0["name"] as? String } == ["hitches", "hitch time", "hitch ratio"])
    #expect(figures.compactMap { $0["unit"] as? String } == ["count", "ns", "ns_per_s"])
    #expect(figures.compactMap { $0["base"] as? Int }.prefix(2) == [5, 187_500_000])
    #expect(figures.allSatisfy { $0["predicted"] as? Int == 0 && $0["high"] as? Int == 0 })
    let text = try whatIf(trace, "--do", "source decode takes at most 7ms").output
    #expect(text.contains("192 ms/s"), "\(text)")
    #expect(try whatIf(trace, "--rank").output.contains("hitches removed"))
    let analyzed = try Program.rltrace.run(["analyze", "--worth", "--format", "json", trace])
    let findings = try #require(try JSONValues(analyzed.output).root["findings"] as? [[String: Any]])
    let worth = try #require(
      findings.first { $0["rule"] as? String == "RL041" }?["worth"] as? [String: Any])
    #expect(worth["changes"] as? [String] == ["source \"decode\" takes at most 7ms"])
    #expect(worth["hitches_removed_ns"] as? Double == 187_500_000)
    #expect(
      (worth["text"] as? String)?.hasPrefix("188 ms less of hitches, 12 fires recovered, 203 ms less") == true
    )
    let other = try #require(
      findings.first { $0["rule"] as? String == "RL004" }?["worth"] as? [String: Any])
    #expect(other["hitches_removed_ns"] as? Double == 0)
  }

  @Test func undecided() throws {
    let refused = try whatIf(
      starving, "--do", "remove finger down", "--format", "json")
    #expect(refused.status == 2 && refused.output.contains("\"outcome\" : \"undecided\""))
    let noise = try whatIf(
      SampleTraces.path("real/timer-starvation.rltrace"), "--do", "nothing", "--tolerance", "1ns")
    #expect(noise.status == 2 && noise.output.contains("--tolerance"))
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
