import Foundation
import TestSupport
import Testing

@testable import JudgementReport

/// Annotations for GitHub, code quality reports for GitLab, and the lines of code in them.
@Suite struct AnnotationTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  // MARK: Formats

  @Test func gitHubEscapesMessagesAndProperties() {
    let fault = Annotation(.error, check: "a:b,c%", "x%\r\ny:z,", SourcePlace(path: "d,e:f.swift", line: 7))
    let root = SourceRoot("/src", currentFolder: "/src")
    let report = AnnotationReport(
      annotations: [fault, Annotation(.notice, check: "all", "1 of 2")], file: "a.rltrace", root: root)
    #expect(
      report.github == """
        ::error file=d%2Ce%3Af.swift,line=7,title=a%3Ab%2Cc%25::x%25%0D%0Ay:z,
        ::notice title=all::1 of 2

        """)
  }

  /// The fingerprint does not depend on the line or the message, and differs between faults of one report.
  @Test func gitLabRecognizesAFaultAgain() throws {
    func faults(_ annotations: [Annotation]) throws -> [[String: Any]] {
      let root = SourceRoot("/src", currentFolder: "/src")
      let text = AnnotationReport(annotations: annotations, file: "/src/out/a.rltrace", root: root).gitlab
      return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
    }
    let place = SourcePlace(path: "App.swift", line: 7)
    let first = try faults([
      Annotation(.error, check: "rule", "1 s", place), Annotation(.error, check: "rule", "2 s", place),
      Annotation(.warning, check: "rule", "3 s"), Annotation(.notice, check: "all", "none"),
    ])
    #expect(first.map { $0["severity"] as? String } == ["major", "major", "minor"])
    let prints = first.map { $0["fingerprint"] as? String ?? "" }
    #expect(Set(prints).count == 3 && prints.allSatisfy { $0.count == 16 })
    let location = try #require(first[2]["location"] as? [String: Any])
    #expect(location["path"] as? String == "out/a.rltrace")
    #expect((location["lines"] as? [String: Any])?["begin"] as? Int == 1)
    let moved = SourcePlace(path: "App.swift", line: 9)
    let again = try faults([Annotation(.error, check: "rule", "5 s", moved)])
    #expect(again.first?["fingerprint"] as? String == prints[0])
    #expect(try faults([Annotation(.notice, check: "all", "none")]).isEmpty)
  }

  @Test(
    arguments: [
      ("/src/app/Sources/App.swift", "Sources/App.swift"), ("/src/app/./a/../App.swift", "App.swift"),
      ("App.swift", "tool/App.swift"), ("../App.swift", "App.swift"), ("../../App.swift", nil),
      ("/src/application/App.swift", nil), ("/src/app", nil), ("/usr/include/x.h", nil),
    ] as [(String, String?)])
  func pathsBelowTheRoot(file: String, path: String?) {
    let root = SourceRoot("/src/app", currentFolder: "/src/app/tool")
    #expect(root.path(of: file) == path)
  }

  // MARK: Commands

  /// Writes a trace whose loop is held for half a second by line 42 of `source`, according to `samples` stacks.
  private func trace(source: String, samples: Int = 9) throws -> String {
    let stacks = (0..<samples).map {
      "  \(110_000 + $0 * 50_000) thread.stack thread=1 reason=1 frame=4112 frame=4097"
    }
    let text = """
      rltrace-text 1
      header minor=2 unit=1us codec=none capture=callouts clock=virtual high=no
      strings
        1 "loop"
        2 "/opt/app/app"
        3 ""
        4 "main()"
        5 "read()"
        6 "\(source)"
      threads
        0 os=1 main=yes "main"
        1 os=2 main=no ""
      modes
        1 "mode"
      info
        "program" "/opt/app/app"
        "recorder_thread" "1"
      events thread=1
        0 imageMap path=2 base=4096 size=65536 build_id=3
        0 frameName address=4096 depth=0 function=4 file=6 line=50
        0 frameName address=4112 depth=0 function=5 file=6 line=42
      \(stacks.joined(separator: "\n"))
      events thread=0
        0 Entry.low m1 #1
        10 BeforeTimers.low m1 #1
        20 BeforeSources.low m1 #1
        30 BeforeWaiting.low m1 #1
        100000 AfterWaiting.low m1 #1
        600000 BeforeTimers.low m1 #1
        600500 BeforeSources.low m1 #1
        601000 BeforeWaiting.low m1 #1
        700000 AfterWaiting.low m1 #1
        700000 Exit.low m1 #1
      end
      """
    return try folder.file("app.rltrace", assembleTrace(text))
  }

  private func gate(_ trace: String, _ options: [String], in name: String = ".") throws -> Program.Result {
    try Program.rltrace.run(
      ["gate", trace, "--rule", "max(busy) < 250ms"] + options, folder: folder.file(name))
  }

  private func makeRepository() throws {
    for name in [".git", "Sources/App"] {
      try FileManager.default.createDirectory(atPath: folder.file(name), withIntermediateDirectories: true)
    }
  }

  /// Paths start at the repository, in whatever folder of it the gate runs.
  @Test(arguments: [".", "Sources"]) func theLineBehindABrokenRule(currentFolder: String) throws {
    try makeRepository()
    let trace = try trace(source: folder.file("Sources/App/main.swift"))
    let sarif = folder.file("gate.sarif")
    let github = try gate(trace, ["--format", "github", "--sarif", sarif], in: currentFolder)
    #expect(github.status == 1)
    #expect(
      github.output.hasPrefix(
        "::error file=Sources/App/main.swift,line=42,title=max(busy) < 250ms::max(busy) < 250ms: "),
      "\(github.output)")
    #expect(
      github.output.hasSuffix("\n::notice title=rltrace gate::0 of 1 rule holds, 1 broken\n"),
      "\(github.output)")
    let log = try String(contentsOfFile: sarif, encoding: .utf8)
    #expect(log.contains("\"uri\" : \"Sources/App/main.swift\""), "\(log)")
    #expect(log.contains("\"startLine\" : 42"), "\(log)")
    let gitlab = try gate(trace, ["--format", "gitlab"], in: currentFolder)
    #expect(gitlab.status == 1)
    #expect(
      gitlab.output.contains("\"path\" : \"Sources/App/main.swift\"")
        && gitlab.output.contains("\"begin\" : 42"), "\(gitlab.output)")
  }

  /// One sample shows no function that held the loop, and a file outside the repository cannot be shown.
  @Test(arguments: [("Sources/App/main.swift", 1), ("../elsewhere/main.swift", 9)])
  func noLineWithoutEvidence(source: String, samples: Int) throws {
    try makeRepository()
    let trace = try trace(source: folder.file(source), samples: samples)
    let github = try gate(trace, ["--format", "github"])
    #expect(github.status == 1)
    #expect(github.output.hasPrefix("::error title=max(busy) < 250ms::"), "\(github.output)")
    let gitlab = try gate(trace, ["--format", "gitlab"])
    #expect(
      gitlab.output.contains("\"path\" : \"app.rltrace\"") && gitlab.output.contains("\"begin\" : 1"),
      "\(gitlab.output)")
  }

  @Test func anUndecidedRuleIsAWarning() throws {
    let result = try Program.rltrace.run([
      "gate", SampleTraces.virtual("modes"), "--rule", "due(timer=none) > 0", "--format", "github",
    ])
    #expect(result.status == 2)
    #expect(
      result.output.hasPrefix("::warning title=due(timer=none) > 0::undecided: the trace has no timer"),
      "\(result.output)")
  }

  @Test func compareWarnsOfEachChangeForTheWorse() throws {
    let (uncached, cached) = (
      SampleTraces.virtual("location-uncached"), SampleTraces.virtual("location-cached")
    )
    let worse = try Program.rltrace.run(["compare", cached, uncached, "--format", "github"])
    #expect(worse.status == 0)
    #expect(worse.output.contains("::warning title=RL026"), "\(worse.output)")
    #expect(worse.output.contains("\n::notice title=rltrace compare::NEW is worse: "), "\(worse.output)")
    let better = try Program.rltrace.run(["compare", uncached, cached, "--format", "github"])
    #expect(!better.output.contains("::warning"), "\(better.output)")
    #expect(better.output.contains("::notice title=rltrace compare::NEW is better: "), "\(better.output)")
    let gitlab = try Program.rltrace.run(["compare", cached, uncached, "--format", "gitlab"])
    #expect(gitlab.output.contains("\"check_name\" : \"RL026"), "\(gitlab.output)")
  }
}
