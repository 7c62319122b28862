import Foundation
import TestSupport
import Testing

/// `rltrace gate`, run as a script runs it: every status, and every way to fail.
@Suite struct GateCommandTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func gate(_ trace: String, _ rules: [String], _ options: [String] = []) throws -> Program.Result {
    try Program.rltrace.run(["gate", trace] + rules.flatMap { ["--rule", $0] } + options)
  }

  // MARK: Statuses

  @Test func passes() throws {
    let result = try gate(
      SampleTraces.virtual("starvation-common"), ["max(gap) < 250ms", "skipped(timer=refresh) == 0"])
    #expect(result.status == 0 && result.errors.isEmpty)
    #expect(
      result.output.hasPrefix(
        """
        pass       max(gap) < 250ms: 2.00 ms
        pass       skipped(timer=refresh) == 0: 0
        2 of 2 rules hold
        Verdict of the trace: Nothing wrong was found:
        """))
  }

  @Test func broken() throws {
    let result = try gate(
      SampleTraces.virtual("starvation-default-only"),
      ["skipped(timer=refresh) == 0", "max(gap) < 250ms", "due(timer=none) > 0"])
    // A broken rule takes precedence over an undecided one.
    #expect(result.status == 1 && result.errors.isEmpty)
    #expect(result.output.contains("BROKEN     skipped(timer=refresh) == 0: 199\n"))
    #expect(
      result.output.contains("1 of 3 rules holds, 1 broken, 1 undecided")
        || result.output.contains("1 of 3 rules hold, 1 broken, 1 undecided"))
  }

  @Test func usage() throws {
    let none = try Program.rltrace.run(["gate"])
    #expect(none.status == 64 && none.errors.contains("rltrace gate FILE"))
    let wrong = try gate(SampleTraces.virtual("modes"), ["max(gap) < 250 ms or so"])
    #expect(wrong.status == 64 && wrong.errorLines.count == 1 && wrong.errors.contains("column"))
    #expect(wrong.output.isEmpty)
    #expect(try gate(SampleTraces.virtual("modes"), ["max(gap) < 1s"], ["--format", "xml"]).status == 64)
    #expect(try gate(SampleTraces.virtual("modes"), ["max(gap) < 1s"], ["--profile", "fast"]).status == 64)
  }

  @Test func unreadable() throws {
    let missing = try gate(folder.file("missing"), ["max(gap) < 1s"])
    #expect(missing.status == 66 && missing.errorLines.count == 1 && missing.output.isEmpty)
    #expect(try gate(try folder.file("text", "no trace"), ["max(gap) < 1s"]).status == 65)
    #expect(try gate(try folder.file("empty", []), ["max(gap) < 1s"]).status == 65)
    #expect(try gate(SampleTraces.virtual("modes"), [], ["--budget", folder.file("none.yaml")]).status == 66)
    let junit = try gate(SampleTraces.virtual("modes"), ["max(gap) < 1s"], ["--junit", "/nonexistent/x.xml"])
    #expect(junit.status == 73 && junit.errors.contains("--junit"))
    #expect(
      try gate(SampleTraces.virtual("modes"), ["max(gap) < 1s"], ["--sarif", folder.path]).status == 73)
  }

  // MARK: Fail closed

  private func undecided(_ trace: String, _ rule: String, _ why: String, _ options: [String] = []) throws {
    let result = try gate(trace, [rule], options)
    #expect(result.status == 2, "\(result.output)\(result.errors)")
    #expect(
      result.output.hasPrefix("undecided  \(rule): ") && result.output.contains(why), "\(result.output)")
    #expect(
      result.output.contains("0 of 1 rules hold, 1 undecided\n")
        || result.output.contains("0 of 1 rule holds, 1 undecided\n"))
  }

  @Test func noBaseline() throws {
    let rule = "max(gap) <= 1.1 * baseline"
    try undecided(SampleTraces.virtual("modes"), rule, "--baseline was not given")
    try undecided(
      SampleTraces.virtual("timer-starvation"), "skipped(timer=\"refresh (common)\") <= baseline",
      "baseline: the trace has no timer",
      ["--baseline", SampleTraces.virtual("starvation-common")])
    #expect(
      try gate(SampleTraces.virtual("modes"), [rule], ["--baseline", SampleTraces.virtual("modes")]).status
        == 0)
  }

  /// The baseline is missing, empty, truncated, damaged, not a trace, or a folder. The gate is undecided in every form,
  /// whether its rules would hold, are broken or need the baseline. One line reports the problem and its place.
  @Test func aBaselineThatCannotBeUsed() throws {
    let whole = try SampleTraces.bytes(virtual: "five-causes")
    var damaged = whole
    let entry = try #require(try openTrace(whole).blocks.first { $0.type == .events })
    damaged[Int(entry.offset) + 60] ^= 0x40
    let baselines = [
      (folder.file("missing"), "No such file"), (try folder.file("text", "no trace"), "rltrace: "),
      (try folder.file("empty", []), "rltrace: "),
      (try folder.file("cut", Array(whole.dropLast(40))), "incomplete"),
      (try folder.file("damaged", damaged), "incomplete"), (folder.path, "rltrace: "),
    ]
    let modes = SampleTraces.virtual("modes")
    for (baseline, why) in baselines {
      for rules in [["max(gap) < 60s"], ["max(gap) < 1ns"], ["max(gap) <= 1.1 * baseline"], []] {
        let result = try gate(modes, rules, ["--baseline", baseline])
        #expect(result.status == 2, "\(baseline) \(rules): \(result.output)\(result.errors)")
        #expect(result.errorLines.count == 1, "\(result.errors)")
        #expect(result.errors.contains("--baseline \(baseline): ") && result.errors.contains(why))
        #expect(result.output.contains("undecided  --baseline: "))
        #expect(result.output.contains("undecided because the baseline cannot be used\n"))
      }
    }
    let (xml, sarif) = (folder.file("gate.xml"), folder.file("gate.sarif"))
    let options = [
      "--baseline", folder.file("missing"), "--junit", xml, "--sarif", sarif, "--format", "json",
    ]
    let json = try gate(modes, ["max(gap) < 60s"], options)
    #expect(json.status == 2)
    let document = try JSONValues(json.output).root
    #expect(document["outcome"] as? String == "undecided" && document["baseline_problem"] is String)
    #expect(try parseJUnit(xml).hasPrefix("2 0 1\n") && checkSARIF(sarif).count == 1)
    let markdown = try gate(
      modes, ["max(gap) < 60s"], ["--baseline", folder.file("missing"), "--format", "markdown"])
    #expect(markdown.status == 2 && markdown.output.contains("undecided"))
  }

  @Test func damagedAndUnfinished() throws {
    let whole = try SampleTraces.bytes(virtual: "five-causes")
    for (name, bytes) in [
      ("cut", Array(whole.dropLast(whole.count / 3))), ("unfinished", Array(whole.dropLast(20))),
    ] {
      try undecided(try folder.file(name, bytes), "max(gap) < 60min", "incomplete")
    }
    var damaged = whole
    let entry = try #require(try openTrace(whole).blocks.first { $0.type == .events })
    damaged[Int(entry.offset) + 60] ^= 0x40
    try undecided(try folder.file("damaged", damaged), "max(gap) < 60min", "incomplete")
  }

  @Test func lostEvents() throws {
    let main =
      HandTrace.asleep
      + "50000 AfterWaiting.low m1 #1\n60000 lostEvents m1 count=5\n70000 BeforeTimers.low m1 #1\n70005 BeforeSources.low m1 #1\n"
      + "70010 Exit.low m1 #1"
    try undecided(
      try folder.file("lost", try assembleTrace(HandTrace(main: main).text())), "max(gap) < 60min",
      "the recorder lost 5 events")
  }

  @Test func captureLevel() throws {
    let main =
      HandTrace.asleep
      + "50000 AfterWaiting.low m1 #1\n70000 BeforeTimers.low m1 #1\n70005 BeforeSources.low m1 #1\n"
      + "70010 Exit.low m1 #1"
    let text = HandTrace(main: main).text().replacing("capture=callouts", with: "capture=activities")
    let trace = try folder.file("activities", try assembleTrace(text))
    for rule in ["skipped() == 0", "max(lateness) < 1s", "count(callout) > 0", "findings() == 0"] {
      try undecided(trace, rule, "the capture level is activities")
    }
    #expect(try gate(trace, ["max(gap) < 250ms"]).status == 0)
  }

  @Test func namesAndDataThatAreNotThere() throws {
    let trace = SampleTraces.virtual("starvation-common")
    try undecided(trace, "skipped(timer=refreshFeed) == 0", "the trace has no timer \"refreshFeed\"")
    try undecided(trace, "max(gap, mode=NSEventTrackingRunLoopMode) < 1s", "did not run")
    try undecided(trace, "max(callout, callout=save) < 1s", "no such callout")
    try undecided(trace, "signals(source=keys) >= 0", "no source \"keys\"")
    try undecided(trace, "max(pass, thread=io) < 1s", "no thread \"io\"")
    try undecided(trace, "p99(main_queue_wait) < 1s", "no main-queue blocks")
    try undecided(trace, "findings(rule=RL003) == 0", "--profile")
    #expect(try gate(trace, ["findings(rule=RL003) == 0"], ["--profile", "interactive"]).status == 0)
  }

  // MARK: Budgets

  @Test func budget() throws {
    let path = folder.file("budget.yaml")
    try """
    rules:
      - max(gap) < 250ms
      - name: refresh keeps up
        rule: skipped(timer=refresh) == 0
      - 'p99(signal_to_callout, source="touch events") < 1ms'
    """.write(toFile: path, atomically: true, encoding: .utf8)
    let result = try gate(SampleTraces.virtual("starvation-common"), ["polls() >= 0"], ["--budget", path])
    #expect(result.status == 0, "\(result.output)\(result.errors)")
    #expect(result.output.contains("pass       refresh keeps up: skipped(timer=refresh) == 0: 0"))
    #expect(result.output.contains("4 of 4 rules hold\n"))
  }

  @Test(arguments: [
    ("rules: []\n", "a list of rules"), ("rules: max(gap) < 1s\n", "a list of rules"),
    ("rule: x\n", "needs 'rules'"),
    ("rules:\n  - max(gap) < 1m\n", "bad.yaml:2: in the rule, column 12"), ("", "empty"),
    ("rules:\n  - {name: a}\n", "a rule needs 'rule'"),
    ("rules:\n  - {rule: max(gap) < 1s, why: b}\n", "unknown key 'why'"),
    ("rules: [max(gap) < 1s]\nlimit: 3\n", "unknown key 'limit'"), ("rules: [[1]]\n", "a line of text"),
  ])
  func mistakesInABudget(text: String, message: String) throws {
    try text.write(toFile: folder.file("bad.yaml"), atomically: true, encoding: .utf8)
    let result = try gate(SampleTraces.virtual("modes"), [], ["--budget", folder.file("bad.yaml")])
    #expect(result.status == 65 && result.errorLines.count == 1 && result.output.isEmpty, "\(result.errors)")
    #expect(result.errors.contains(message), "\(result.errors)")
  }

  // MARK: Other forms

  private static let mixed = ["skipped(timer=refresh) == 0", "max(gap) < 250ms", "due(timer=none) > 0"]

  @Test func json() throws {
    let result = try gate(SampleTraces.virtual("starvation-default-only"), Self.mixed, ["--format", "json"])
    #expect(result.status == 1)
    let document = try JSONValues(result.output).root
    #expect(document["schema"] as? String == "rltrace.gate/1" && document["outcome"] as? String == "broken")
    let rules = try #require(document["rules"] as? [[String: Any]])
    #expect(rules.map { $0["outcome"] as? String } == ["broken", "pass", "undecided"])
    #expect(rules[0]["measured"] as? [String: Double] == ["low": 199, "high": 199])
    #expect(rules[2]["measured"] is NSNull && rules[2]["why"] as? String == "the trace has no timer \"none\"")
  }

  @Test func junit() throws {
    let path = folder.file("gate.xml")
    #expect(
      try gate(SampleTraces.virtual("starvation-default-only"), Self.mixed, ["--junit", path]).status == 1)
    let output = try parseJUnit(path)
    #expect(
      output == """
        3 1 1
        skipped(timer=refresh) == 0|failure|skipped(timer=refresh) == 0: 199; RL001: Timer "refresh" (every 10.0 ms) \
        missed 199 of 400 fires while the loop ran "UITrackingRunLoopMode", which it is not in
        max(gap) < 250ms||
        due(timer=none) > 0|error|the trace has no timer "none"

        """, "\(output)")
    #expect(folder.names == ["gate.xml"])
    #expect(
      try gate(SampleTraces.virtual("modes"), ["max(gap) < 60s"], ["--junit", path]).errors
        .hasPrefix("rltrace: wrote \(path), "))
    #expect(try gate(SampleTraces.virtual("modes"), ["max(gap) < 60s"], ["--junit", "-"]).status == 64)
  }

  private func parseJUnit(_ path: String) throws -> String {
    let script = """
      import sys, xml.etree.ElementTree as E
      suite, = E.parse(sys.argv[1]).getroot()
      print(suite.get("tests"), suite.get("failures"), suite.get("errors"))
      for case in suite:
        kind = case[0] if len(case) else None
        print(case.get("name"), kind.tag if kind is not None else "", kind.get("message") if kind is not None else "", sep="|")
      """
    let result = try Program(shell: "python3 -c \"$0\" \"$1\"").run([script, path])
    #expect(result.status == 0, "\(result.errors)")
    return result.output
  }

  @Test(arguments: ["--junit", "--sarif", "--markdown"])
  func outputsDoNotReplaceABudget(option: String) throws {
    let trace = SampleTraces.virtual("modes")
    let budget = Array(try Program.rltrace.run(["gate", "--print-budget"]).output.utf8)
    let path = try folder.file("budget.yaml", budget)
    let result = try gate(trace, [], ["--budget", path, option, path])
    #expect(
      result.status == 64 && result.errors.contains("would overwrite the input budget"), "\(result.errors)")
    #expect(try [UInt8](Data(contentsOf: URL(fileURLWithPath: path))) == budget)
  }

  @Test(arguments: ["--junit", "--sarif", "--markdown"])
  func outputsDoNotReplaceATrace(option: String) throws {
    let bytes = try SampleTraces.bytes(virtual: "modes")
    let (trace, base) = (try folder.file("app.rltrace", bytes), try folder.file("base.rltrace", bytes))
    for path in [trace, base] {
      let result = try gate(trace, ["max(gap) < 1s"], ["--baseline", base, option, path])
      #expect(
        result.status == 64 && result.errors.contains("would overwrite the input trace"), "\(result.errors)")
      #expect(try [UInt8](Data(contentsOf: URL(fileURLWithPath: path))) == bytes)
    }
  }

  @Test func sarif() throws {
    let path = folder.file("gate.sarif")
    #expect(
      try gate(SampleTraces.virtual("starvation-default-only"), Self.mixed, ["--sarif", path]).status == 1)
    let results = try checkSARIF(path)
    #expect(results.map { $0["level"] as? String } == ["error", "warning"])
    #expect(results.map { $0["ruleIndex"] as? Int } == [0, 2])
  }

  /// Checks the requirements of SARIF 2.1.0 on a log, a run, a tool, a rule and a result.
  private func checkSARIF(_ path: String) throws -> [[String: Any]] {
    let log = try #require(
      try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: path))) as? [String: Any])
    #expect(log["version"] as? String == "2.1.0")
    let run = try #require((log["runs"] as? [[String: Any]])?.first)
    let driver = try #require((run["tool"] as? [String: Any])?["driver"] as? [String: Any])
    #expect(driver["name"] as? String == "rltrace")
    #expect((driver["semanticVersion"] as? String)?.wholeMatch(of: #/\d+\.\d+\.\d+/#) != nil)
    let rules = try #require(driver["rules"] as? [[String: Any]])
    for rule in rules {
      for key in ["shortDescription", "fullDescription", "help"] {
        #expect((rule[key] as? [String: Any])?["text"] is String, "\(key)")
      }
    }
    let results = try #require(run["results"] as? [[String: Any]])
    for result in results {
      #expect((result["message"] as? [String: Any])?["text"] is String)
      #expect(
        ["error", "warning"].contains(result["level"] as? String) && result["kind"] as? String == "fail")
      let index = try #require(result["ruleIndex"] as? Int)
      #expect(rules[index]["id"] as? String == result["ruleId"] as? String)
      let location = try #require(
        (result["locations"] as? [[String: Any]])?.first?["physicalLocation"] as? [String: Any])
      let uri = try #require((location["artifactLocation"] as? [String: Any])?["uri"] as? String)
      #expect(URL(string: uri) != nil && uri.allSatisfy(\.isASCII))
      #expect((location["region"] as? [String: Any])?["startLine"] as? Int == 1)
    }
    return results
  }

  /// Hostile names in the trace, the rules, a budget and the name of the file.
  @Test(arguments: HostileNames.all.map(\.what))
  func hostileNames(what: String) throws {
    let name = try #require(HostileNames.all.first { $0.what == what }).name
    let fileName =
      "a<b>&\"'\u{202E} %41;"
      + String(
        name.prefix(20).filter { $0 != "/" && $0 != "\0" }.unicodeScalars.filter {
          $0.value != 0 && $0 != "/"
        }.map(String.init).joined())
    let trace = try folder.file(fileName, try HostileNames.trace(name, skips: 5))
    // The name as a quoted string in a rule.
    let quoted = name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    let escaped = name.unicodeScalars.map { scalar in
      scalar.value > 0xFFFF ? "\\U" + hex(scalar.value, 8) : "\\u" + hex(scalar.value, 4)
    }.joined()
    let rule =
      "skipped(timer=\\\""
      + quoted.unicodeScalars.map { scalar in
        scalar.value > 0xFFFF ? "\\U" + hex(scalar.value, 8) : "\\u" + hex(scalar.value, 4)
      }.joined() + "\\\") == 0"
    try
      "rules:\n  - {name: \"\(escaped)\", rule: \"\(rule)\"}\n  - {name: \"\(escaped)\", rule: \"fired(timer=nobody) == 1\"}\n"
      .write(toFile: folder.file("budget.yaml"), atomically: true, encoding: .utf8)
    let (xml, sarif) = (folder.file("gate.xml"), folder.file("gate.sarif"))
    let summary = folder.file("gate.md")
    let options = [
      "--budget", folder.file("budget.yaml"), "--junit", xml, "--sarif", sarif, "--markdown", summary,
    ]
    let text = try gate(trace, [], options)
    // YAML allows U+FFFE and lone control characters only as escapes.
    #expect(text.status == 1, "\(text.output)\(text.errors)")
    #expect(text.output.contains("\n0 of 2 rules hold, 1 broken, 1 undecided\n"))
    expectPlain(text.output)
    #expect(try parseJUnit(xml).hasPrefix("2 1 1\n"))
    expectPlain(try String(contentsOfFile: xml, encoding: .utf8))
    #expect(try checkSARIF(sarif).count == 2)
    try GateMarkdownTests.expectHarmless(try String(contentsOfFile: summary, encoding: .utf8))
    let printed = try Program.rltrace.run(["gate", "--print-budget", "--budget", folder.file("budget.yaml")])
    #expect(printed.status == 0)
    try printed.output.write(toFile: folder.file("again.yaml"), atomically: true, encoding: .utf8)
    #expect(try gate(trace, [], ["--budget", folder.file("again.yaml")]).output == text.output)
    let json = try gate(trace, [], ["--budget", folder.file("budget.yaml"), "--format", "json"]).output
    let document = try JSONValues(json).root
    let rules = try #require(document["rules"] as? [[String: Any]])
    #expect(rules.map { $0["outcome"] as? String } == ["broken", "undecided"])
    #expect(rules[0]["name"] as? String == name)
  }

  private func hex(_ value: UInt32, _ digits: Int) -> String {
    let text = String(value, radix: 16)
    return String(repeating: "0", count: digits - text.count) + text
  }
}
