import Foundation
import TestSupport
import Testing

/// `rltrace gate --format markdown` and `--markdown`: the summary of a job.
@Suite struct GateMarkdownTests {
  @Test func summary() throws {
    let folder = try TemporaryFolder()
    let arguments = [
      "gate", SampleTraces.virtual("starvation-default-only"), "--rule", "skipped(timer=refresh) == 0",
      "--rule",
      "max(gap) < 250ms", "--rule", "due(timer=none) > 0", "--markdown", folder.file("gate.md"),
    ]
    let result = try Program.rltrace.run(arguments)
    #expect(result.status == 1 && result.errors.hasPrefix("rltrace: wrote \(folder.file("gate.md")), "))
    let text = try String(contentsOfFile: folder.file("gate.md"), encoding: .utf8)
    #expect(text.hasPrefix("### ❌ broken: "))
    #expect(text.contains("1 of 3 rules hold, 1 broken, 1 undecided."))
    #expect(text.contains("| ❌ broken | skipped(timer=refresh) == 0 | 199 | == 0 |  |"))
    #expect(text.contains("| ✅ pass | max(gap) \\< 250ms | 2.00 ms | \\< 250 ms |  |"))
    #expect(text.contains("| ⚠️ undecided | due(timer=none) \\> 0 |  |  | the trace has no timer \"none\" |"))
    #expect(text.contains("#### Findings") && text.contains("| error | RL001 | "))
    try Self.expectHarmless(text)
    // Standard output has the same text.
    let output = try Program.rltrace.run(arguments.dropLast(2) + ["--format", "markdown"])
    #expect(output.output == text && output.status == 1)
  }

  @Test func noFindings() throws {
    let result = try Program.rltrace.run([
      "gate", SampleTraces.virtual("detect-idle"), "--format", "markdown",
    ])
    #expect(result.status == 0 && result.output.hasPrefix("### ✅ passed: "), "\(result.output)")
  }

  /// Expects each row to have as many columns as its header, and no markup besides that of the summary itself.
  static func expectHarmless(_ text: String) throws {
    expectPlain(text)
    var columns = 0
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      // Removes the summary's own markup, then the escaped characters. The patterns match Unicode scalars, because a
      // combining mark after a < does not make the < harmless.
      let bare = line.replacing(#/^#{3,4} (\S+ \w+: )?/#, with: "")
        .replacing(#/\\[!-\/:-@\[-`{-~]/#.matchingSemantics(.unicodeScalar), with: "")
      #expect(
        bare.firstMatch(of: #/[\\`*_{}\[\]<>~&#$@!:^]/#.matchingSemantics(.unicodeScalar)) == nil, "\(line)")
      #expect(!bare.contains("www."))
      let cells = bare.count { $0 == "|" }
      if line.isEmpty { columns = 0 } else if columns == 0 { columns = cells }
      #expect(cells == columns, "\(line)")
    }
  }
}
