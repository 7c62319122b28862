import Foundation
import TestSupport
import Testing
import TraceAnalysis

/// `rltrace compare`, run as a user runs it.
@Suite struct CompareCommandTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func compare(_ arguments: String...) throws -> Program.Result {
    try Program.rltrace.run(["compare"] + arguments)
  }

  @Test func itself() throws {
    let result = try compare(SampleTraces.virtual("five-causes"), SampleTraces.virtual("five-causes"))
    #expect(result.status == 0 && result.errors.isEmpty)
    #expect(result.output.contains("Verdict: No difference"))
    #expect(!result.output.contains("Counts\n") && !result.output.contains("Distributions\n"))
    let all = try compare(SampleTraces.virtual("five-causes"), SampleTraces.virtual("five-causes"), "--all")
    #expect(all.output.contains("Counts\n") && all.output.contains("Distributions\n"))
    #expect(all.output.contains("Verdict: No difference"))
  }

  @Test func showCase() throws {
    let result = try compare(
      SampleTraces.virtual("location-uncached"), SampleTraces.virtual("location-cached"))
    #expect(result.status == 0)
    let row = "source0 \"touch events\" (main)    10.0 ms  10.0 ms   2.00 ms  2.00 ms  −472 ms"
    #expect(
      result.output.contains(
        "Verdict: NEW is better: finding RL026 is gone: callouts take long while tracking, 10.0 ms"))
    #expect(result.output.contains("better: source0 \"touch events\" (main) takes less time: median 2.00"))
    #expect(result.output.contains("better: passes of UITrackingRunLoopMode (main) are shorter"))
    #expect(result.output.contains("gone warning RL026"))
    #expect(result.output.contains(row))
    let back = try compare(SampleTraces.virtual("location-cached"), SampleTraces.virtual("location-uncached"))
    #expect(back.status == 0 && back.output.contains("Verdict: NEW is worse"))
    for line in (result.output + back.output).split(separator: "\n") { #expect(line.count <= 100, "\(line)") }
  }

  @Test func json() throws {
    let result = try compare(
      SampleTraces.virtual("starvation-default-only"), SampleTraces.virtual("starvation-common"), "--format",
      "json")
    let document = try JSONValues(result.output).root
    #expect(document["schema"] as? String == "rltrace.compare/1")
    #expect((document["verdict"] as? [String: Any])?["outcome"] as? String == "better")
    let rows = try #require(document["rows"] as? [[String: Any]])
    let timer = try #require(rows.first { $0["about"] as? String == "timer" })
    #expect(timer["presence"] as? String == "both" && (timer["changes"] as? [String])?.count == 1)
    let skipped = (timer["counts"] as? [String: Any])?["skipped"] as? [String: Any]
    #expect(skipped?["base"] as? Int == 199 && skipped?["new"] as? Int == 0)
    #expect(skipped?["difference"] as? String == "relevant")
    let lateness = (timer["distributions"] as? [String: Any])?["lateness_ns"] as? [String: Any]
    #expect(lateness?["difference"] as? String == "none" && lateness?["relevant_test"] is [String: Any])
    let relevant = try #require(document["relevant"] as? [String: Any])
    #expect(relevant["share"] as? Double == 0.05 && relevant["ns"] as? Int == 100_000)
    #expect(relevant["effect"] as? String == "medium")
    #expect(
      (lateness?["test"] as? [String: Any])?.keys.sorted() == [
        "cliffs_delta", "effect", "mann_whitney_u", "p_value", "z",
      ])
  }

  @Test func page() throws {
    let path = folder.file("difference.html")
    let result = try compare(
      SampleTraces.virtual("location-uncached"), SampleTraces.virtual("location-cached"), "--html", path)
    #expect(result.status == 0)
    let html = try String(contentsOfFile: path, encoding: .utf8)
    #expect(html.contains("default-src 'none'; style-src 'unsafe-inline'"))
    #expect(!html.contains("<script") && !html.contains("http://") && !html.contains("https://"))
    #expect(
      html.contains("<path class=\"curve base\" d=\"M40 178")
        && html.contains("<path class=\"curve new\" d=\"M40 178"))
    #expect(
      html.contains("NEW is better: finding RL026 is gone: callouts take long while tracking, 10.0 ms"))
    #expect(html.contains("source0 &quot;touch events&quot; (main) takes less time"))
    // The page has both traces on one axis, and both ends of a dumbbell.
    #expect(html.components(separatedBy: "<rect class=\"tracking\"").count == 3)
    #expect(
      html.contains("duration: p50 10.0 ms to 2.00 ms, p99 10.0 ms to 2.00 ms")
        && html.contains("<path class=\"bell base\"") && html.contains("<path class=\"bell new\""))
    #expect(!html.contains("{{") && html.contains("prefers-color-scheme: dark"))
    #expect(folder.names == ["difference.html"])
  }

  @Test func failures() throws {
    let good = SampleTraces.virtual("modes")
    // One trace is compared with its predecessor.
    #expect(try compare(good).status == 66)
    #expect(try compare(good, good, "--gap-threshold", "fast").status == 64)
    #expect(try compare(good, good, "--profile", "fast").status == 64)
    let all = try compare(good, good, "--all", "--format", "json")
    #expect(all.status == 64 && all.errors.contains("--all is for text"))
    let missing = try compare(folder.file("missing"), good)
    #expect(missing.status == 66 && missing.errorLines.count == 1 && missing.output.isEmpty)
    #expect(try compare(good, folder.file("missing")).status == 66)
    #expect(try compare(good, try folder.file("text", "not a trace")).status == 65)
    let page = try compare(good, good, "--html", "/nonexistent/x.html")
    #expect(page.status == 73 && page.errors.contains("--html") && page.output.isEmpty)
    // The readable part of a truncated trace is compared, and reported as incomplete.
    let whole = try SampleTraces.bytes(virtual: "modes")
    let cut = try compare(good, try folder.file("cut", Array(whole.dropLast(40))))
    #expect(cut.status == 65 && cut.output.contains("NEW is incomplete") && cut.errorLines.count == 1)
  }

  /// A page never replaces a trace, whatever its name is.
  @Test func aPageInPlaceOfATrace() throws {
    let bytes = try SampleTraces.bytes(virtual: "modes")
    let (a, b) = (try folder.file("a", bytes), try folder.file("b", bytes))
    try FileManager.default.createSymbolicLink(atPath: folder.file("link"), withDestinationPath: b)
    for path in [a, b, folder.file("link")] {
      let result = try compare(a, b, "--html", path)
      #expect(
        result.status == 64 && result.errors.contains("would overwrite the input trace")
          && result.output.isEmpty)
      let analysis = try Program.rltrace.run(["analyze", b, "--html", path])
      #expect(path == a || analysis.status == 64)
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: b)) == Data(bytes))
  }

  @Test func relevant() throws {
    let pair = [SampleTraces.virtual("location-uncached"), SampleTraces.virtual("location-cached")]
    func outcome(_ relevant: String) throws -> String {
      let result = try compare(pair[0], pair[1], "--format", "json", "--relevant", relevant)
      let document = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
      return try #require((document?["verdict"] as? [String: Any])?["outcome"] as? String)
    }
    #expect(try outcome("5%,100us") == "better" && outcome("small,100us,5%") == "better")
    #expect(try outcome("3%") == "better" && outcome("1ms") == "better" && outcome("0%,0ns") == "better")
    // A block occurs in only one trace. Whether a change from 10 ms to 2 ms matters depends on the option.
    // Together, the callouts take less of the time.
    #expect(try outcome("500%") == "different" && outcome("9ms") == "better")
    let coarse = try compare(pair[0], pair[1], "--relevant", "9ms").output
      .split { $0.isWhitespace }.joined(separator: " ")
    #expect(coarse.contains("together take less of the time") && !coarse.contains("takes less time"))
    for wrong in [
      "", "5d", "%", "-1%", "5%,5%", "1ms,1ms", "1ms,", "huge", "nan%", "inf%", "5%,1ms,1ms", "10001%",
      "negligible", "small,large", "medium,",
    ] {
      let result = try compare(pair[0], pair[1], "--relevant=" + wrong)
      #expect(result.status == 64 && result.output.isEmpty, "\(wrong)")
    }
  }

  /// Compares a trace that contains only activities with one that also contains callouts. Rows that only one trace
  /// can contain are neither gone nor new, and are not reported as errors.
  @Test(arguments: ["location-uncached", "starvation-default-only"])
  func otherLevel(sample: String) throws {
    let whole = SampleTraces.virtual(sample)
    let activities = try dumpTrace(openTrace(SampleTraces.bytes(virtual: sample))).split(separator: "\n")
      .filter {
        line in ![".begin ", ".end ", "timer.", "source."].contains { line.contains($0) }
      }.joined(separator: "\n").replacing("capture=callouts", with: "capture=activities")
    let other = try folder.file("other", assembleTrace(activities))
    for (a, b) in [(whole, other), (other, whole)] {
      let result = try compare(a, b)
      let text = result.output.replacing("\n    ", with: " ")
      #expect(result.status == 0 && text.contains("only data that both recorded is compared"))
      #expect(text.contains("Verdict: No relevant difference") && !text.contains("Only in"), "\(text)")
      // With --all, the output is complete.
      let all = try compare(a, b, "--all").output
      #expect(
        all.contains("Only in \(a == whole ? "BASE" : "NEW")")
          && all.contains("(not recorded in the other trace)"))
    }
  }

  /// Traces without events, or with only activities, have no rows to compare.
  @Test func nothingToCompare() throws {
    let nothing = try folder.file("nothing", assembleTrace(HandTrace(main: "").text()))
    let asleep = try folder.file("asleep", assembleTrace(HandTrace(main: HandTrace.asleep).text()))
    for (a, b) in [(nothing, nothing), (nothing, asleep), (asleep, nothing), (asleep, asleep)] {
      for format in ["text", "json"] {
        let result = try compare(a, b, "--format", format, "--html", folder.file("page.html"))
        #expect(
          result.status == 0 && result.errors.hasPrefix("rltrace: wrote ") && result.errorLines.count == 1,
          "\(result.errors)")
        let isUndecided = result.output.contains("Nothing to compare: no run loop ran in")
        #expect(isUndecided == (a == nothing || b == nothing), "\(result.output)")
        #expect(!isUndecided || !result.output.contains("no difference"))
      }
    }
  }

  /// A reader that closes the pipe early is not an error.
  @Test func closedPipe() throws {
    let good = SampleTraces.virtual("five-causes")
    let result = try Program(
      shell: "\"$0\" compare \"$1\" \"$1\" --format json | head -c 1; echo \"${PIPESTATUS[0]}\""
    )
    .run([Program.rltrace.path, good])
    #expect(result.output == "{0\n" && result.errors.isEmpty)
  }

  /// Threads, modes, timers, callouts and sources have the hostile name. The second trace misses more fires, so it is
  /// worse.
  @Test(arguments: HostileNames.all.map(\.what))
  func hostileNames(what: String) throws {
    let name = try #require(HostileNames.all.first { $0.what == what }).name
    let few = try folder.file("few", try HostileNames.trace(name, skips: 3))
    let many = try folder.file("many", try HostileNames.trace(name, skips: 9))
    let path = folder.file("page.html")
    let text = try compare(few, many, "--all", "--html", path)
    #expect(text.status == 0, "\(text.errors)")
    #expect(text.output.contains("worse"))
    expectPlain(text.output)
    let html = try String(contentsOfFile: path, encoding: .utf8)
    expectPlain(html)
    #expect(
      !html.contains("<script") && !html.contains("<img") && !html.contains("<\u{301}")
        && html.utf8.count < 200_000)
    try expectWellFormed(html)
    let json = try compare(few, many, "--format", "json").output
    let document = try JSONValues(json).root
    let rows = try #require(document["rows"] as? [[String: Any]])
    #expect(
      rows.contains { $0["about"] as? String == "timer" && $0["name"] as? String == ShownName.of(name) })
  }

  /// Expects that the page contains only the template's tags, and closes each one that it opens.
  private func expectWellFormed(_ html: String) throws {
    let check = """
      import sys, html.parser
      class P(html.parser.HTMLParser):
        open = []; known = set("html head meta title style body main h1 h2 h3 p ul li bdi span div table thead tbody tr th td details summary svg path rect circle text".split())
        def handle_starttag(self, tag, attrs):
          assert tag in self.known, tag
          assert all(not name.startswith("on") for name, value in attrs), attrs
          if tag not in ("meta", "path"): self.open.append(tag)
        def handle_startendtag(self, tag, attrs): assert tag in ("path", "circle"), tag
        def handle_endtag(self, tag): assert self.open.pop() == tag, tag
      p = P(); p.feed(sys.stdin.read()); p.close(); assert not p.open, p.open
      """
    let result = try Program(shell: "python3 -c \"$0\"").run([check], input: html)
    #expect(result.status == 0, "\(result.errors)")
  }
}

/// Expects no characters that move the cursor, reverse text, or are forbidden in XML.
func expectPlain(_ text: String) {
  for scalar in text.unicodeScalars where scalar != "\n" && scalar != "\t" {
    switch scalar.properties.generalCategory {
    case .control, .format, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
      Issue.record("U+\(String(scalar.value, radix: 16)) in the output")
      return
    default: break
    }
  }
}
