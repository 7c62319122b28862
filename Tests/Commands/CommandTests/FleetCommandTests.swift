import Foundation
import TestSupport
import Testing

/// `rltrace summarize` and `rltrace fleet`.
@Suite struct FleetCommandTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func summarize(_ traces: [String], _ options: String..., to name: String) throws -> String {
    let path = folder.file(name)
    let result = try Program.rltrace.run(["summarize"] + traces + options + ["-o", path])
    #expect(result.status == 0, "\(result.errors)")
    return path
  }

  /// Copies of a line with other ids and builds: `sessions` for each build, and the second build's measures are `factor` times
  /// as large.
  private func builds(_ sessions: Int, factor: Double) throws -> String {
    let path = try summarize([SampleTraces.virtual("timer-starvation")], to: "one.jsonl")
    let line = try String(contentsOfFile: path, encoding: .utf8)
    var text = ""
    for build in 1...2 {
      for session in 0..<sessions {
        var copy = line.replacingOccurrences(of: "\"id\":\"", with: "\"id\":\"\(build)-\(session)-")
        copy = copy.replacingOccurrences(of: "\"keys\":{", with: "\"keys\":{\"build\":\"\(build)\",")
        let share = (40_000 + Double(session * 100)) * (build == 2 ? factor : 1)
        copy.replace(#/"question":"busy_ppm","subject":"","sessions":1,"values":\[\[\d+/#) {
          _ in "\"question\":\"busy_ppm\",\"subject\":\"\",\"sessions\":1,\"values\":[[\(Int(share))"
        }
        text += copy
      }
    }
    return try folder.file("builds-\(sessions)-\(factor).jsonl", text)
  }

  private func judge(_ file: String, _ options: String...) throws -> Program.Result {
    try Program.rltrace.run(["fleet", file, "--base", "build=1", "--new", "build=2"] + options)
  }

  @Test func statuses() throws {
    let same = try judge(try builds(30, factor: 1))
    #expect(same.status == 0 && same.output.contains("No relevant regression"), "\(same)")
    let worse = try judge(try builds(30, factor: 1.5), "--junit", folder.file("x.xml"))
    #expect(
      worse.status == 1
        && worse.output.contains("build=2 is worse than build=1: busy share of the main loop"), "\(worse)")
    let junit = try String(contentsOfFile: folder.file("x.xml"), encoding: .utf8)
    #expect(junit.contains("failures=\"1\""))
    let better = try judge(try builds(30, factor: 0.5))
    #expect(better.status == 0 && better.output.contains("better"), "\(better)")
    let few = try judge(try builds(10, factor: 3))
    #expect(few.status == 2 && few.output.contains("Undecided"), "\(few)")
    let markdown = try judge(try builds(30, factor: 1.5), "--format", "markdown")
    #expect(markdown.output.hasPrefix("### 1 regression\n"))
  }

  @Test func annotations() throws {
    let lines = try builds(30, factor: 1.5)
    let worse = try judge(lines, "--format", "github")
    #expect(worse.status == 1)
    #expect(worse.output.hasPrefix("::error title=busy share of the main loop::busy share"), "\(worse)")
    let few = try judge(try builds(10, factor: 3), "--format", "github")
    #expect(few.status == 2 && few.output.hasPrefix("::warning title=rltrace fleet::Too few"), "\(few)")
    let same = try judge(try builds(30, factor: 1), "--format", "gitlab")
    let faults = try JSONSerialization.jsonObject(with: Data(same.output.utf8)) as? [Any]
    #expect(same.status == 0 && faults?.isEmpty == true, "\(same)")
    let alone = try Program.rltrace.run(["fleet", lines, "--format", "github"])
    #expect(alone.status == 64 && alone.errors.contains("--base"), "\(alone)")
  }

  @Test func mergedLinesAreReadAgain() throws {
    // Only virtual samples: each trace must occur once, and some frozen samples are equal.
    let all = SampleTraces.analyzable.filter { $0.hasPrefix("virtual/") }.map(SampleTraces.path)
    let one = try summarize(Array(all.prefix(12)), "--set", "build=1,os=a", to: "one.jsonl")
    let two = try summarize(Array(all.dropFirst(12)), "--set", "build=2", "--set", "os=a", to: "two.jsonl")
    let whole = try Program.rltrace.run(["fleet", one, two, "--by", "os", "--format", "jsonl"])
    let parts = try [one, two].map {
      try Program.rltrace.run(["fleet", $0, "--by", "build,os", "--format", "jsonl"]).output
    }
    let merged = try folder.file("merged.jsonl", parts.reversed().joined())
    #expect(
      try Program.rltrace.run(["fleet", merged, "--by", "os", "--format", "jsonl"]).output == whole.output)
    #expect(whole.output.split(separator: "\n").count == 1)
    // The same as one file, a folder, or standard input.
    let text = try [one, two].map { try String(contentsOfFile: $0, encoding: .utf8) }.joined()
    #expect(
      try Program.rltrace.run(["fleet", "-", "--by", "os", "--format", "jsonl"], input: text).output
        == whole.output)
    let sparkFolder = folder.file("spark")
    try FileManager.default.createDirectory(atPath: sparkFolder, withIntermediateDirectories: true)
    for (number, path) in [one, two].enumerated() {
      try FileManager.default.copyItem(atPath: path, toPath: "\(sparkFolder)/part-\(number).txt")
    }
    try folder.file("spark/_SUCCESS", "")
    #expect(
      try Program.rltrace.run(["fleet", sparkFolder, "--by", "os", "--format", "jsonl"]).output
        == whole.output)
    let csv = try CSVText(
      try Program.rltrace.run(["fleet", one, two, "--by", "build", "--format", "csv"]).output)
    #expect(csv["group"] == ["build=1", "build=2"])
    #expect(csv["sessions"] == ["12", "\(all.count - 12)"])
  }

  @Test func linesThatAreNotSummariesAreReportedAndLeftOut() throws {
    let good = try summarize([SampleTraces.virtual("modes")], to: "good.jsonl")
    let line = try String(contentsOfFile: good, encoding: .utf8)
    let bad = try folder.file(
      "bad.jsonl", "\(line){\"schema\":\"other/1\"}\nnonsense\n\n\(line.dropLast(40))\n\(line)")
    let result = try Program.rltrace.run(["fleet", bad, "--format", "json"])
    #expect(result.status == 65)
    #expect(result.errors.contains("bad.jsonl:2: the schema is 'other/1'"), "\(result.errors)")
    #expect(result.errors.contains("bad.jsonl:3: the line is not JSON"), "\(result.errors)")
    #expect(result.errors.contains("bad.jsonl:5:") && result.errorLines.count == 3, "\(result.errors)")
    let json = try JSONValues(result.output)
    #expect(json.text("sessions") == "1" && json.text("repeated") == "1" && json.text("rejected") == "3")
    #expect(try Program.rltrace.run(["fleet", folder.file("none.jsonl")]).status == 66)
    #expect(try Program.rltrace.run(["fleet", try folder.file("x.jsonl", "x\n")]).status == 65)
  }

  @Test func usage() throws {
    let file = try summarize([SampleTraces.virtual("modes")], to: "good.jsonl")
    for words in [
      ["fleet", file, "--base", "build=1"], ["fleet", file, "--base", "build", "--new", "build=2"],
      ["fleet", file, "--base", "build=1", "--new", "build=1"], ["fleet", file, "--by", "OS!"],
      ["summarize", SampleTraces.virtual("modes"), "--set", "build"],
      ["summarize", SampleTraces.virtual("modes"), "--set", "build=1,build=2"],
      ["summarize", SampleTraces.virtual("modes"), "--without-names", "--salt-file", file],
    ] {
      let result = try Program.rltrace.run(words)
      #expect(result.status == 64 && result.errorLines.count == 1, "\(result)")
    }
  }

  @Test func aDamagedTraceIsASessionWithLosses() throws {
    let bytes = try SampleTraces.bytes(virtual: "stuttering-app")
    let cut = folder.file("cut.rltrace")
    try Data(bytes.dropLast(bytes.count / 3)).write(to: URL(fileURLWithPath: cut))
    let result = try Program.rltrace.run(["summarize", cut, SampleTraces.virtual("modes")])
    #expect(result.status == 65)
    let lines = result.output.split(separator: "\n")
    #expect(
      lines.count == 2 && lines[0].contains("\"lossy_sessions\":1")
        && lines[1].contains("\"lossy_sessions\":0"))
    let fleet = try Program.rltrace.run(["fleet", "-", "--format", "json"], input: result.output)
    let json = try JSONValues(fleet.output)
    #expect(json.text("lossy_sessions") == "1" && json.text("sessions") == "2")
  }

  /// Traces are read at the same time. Lines, messages and the status are those of one command after the other.
  @Test func manyTraces() throws {
    let bytes = try SampleTraces.bytes(virtual: "stuttering-app")
    let cut = folder.file("cut.rltrace")
    try Data(bytes.dropLast(bytes.count / 3)).write(to: URL(fileURLWithPath: cut))
    var traces = SampleTraces.analyzable.map(SampleTraces.path)
    traces.insert(contentsOf: [cut, folder.file("missing.rltrace")], at: traces.count / 2)
    let alone = try traces.map { try Program.rltrace.run(["summarize", $0]) }
    let together = try Program.rltrace.run(["summarize"] + traces)
    #expect(together.output == alone.map(\.output).joined())
    #expect(together.errors == alone.map(\.errors).joined())
    let problems = alone.map(\.status).filter { $0 != 0 }
    #expect(together.status == problems.first && problems.contains(66))
    // The reader stops after the first line.
    let whole = traces.indices.filter { alone[$0].status == 0 }
    let closed = try Program(shell: "\"$0\" summarize \"$@\" | head -n 1; exit ${PIPESTATUS[0]}").run(
      [Program.rltrace.path] + whole.map { traces[$0] })
    #expect(closed.status == 0 && closed.errors.isEmpty, "\(closed)")
    #expect(closed.output == alone[whole[0]].output)
    // The limit on memory is for each trace that is read at a time.
    let limited = try Program.rltrace.run(
      ["summarize"] + Array(repeating: traces, count: 20).flatMap(\.self),
      environment: ["RLTRACE_MEMORY": "1M"])
    let message = #/reading [2-4] files at a time takes more than [2-4] MiB|reading it takes more than 1 MiB/#
    #expect(limited.status == 65 && limited.errors.contains(message), "\(limited.errors)")
  }

  /// Equal names in two traces get equal hashes with the same secret, and different hashes with a different secret.
  @Test func saltedNames() throws {
    let secret = folder.file("secret")
    try Data(repeating: 0xAA, count: 131).write(to: URL(fileURLWithPath: secret))
    let traces = [
      SampleTraces.virtual("timer-starvation"), SampleTraces.path("real/timer-starvation.rltrace"),
    ]
    let plain = try String(contentsOfFile: summarize(traces, to: "plain.jsonl"), encoding: .utf8)
    let path = try summarize(traces, "--salt-file", secret, to: "hashed.jsonl")
    let hashed = try String(contentsOfFile: path, encoding: .utf8)
    func timers(_ text: String) -> [Set<String>] {
      text.split(separator: "\n").map { line in
        Set(line.matches(of: #/"timer":"([^"]*)"/#).map { String($0.1) })
      }
    }
    let (names, hashes) = (timers(plain), timers(hashed))
    #expect(!names[0].isDisjoint(with: names[1]), "the traces have no name in common")
    #expect(names[0].union(names[1]).count == hashes[0].union(hashes[1]).count)
    #expect(names[0].intersection(names[1]).count == hashes[0].intersection(hashes[1]).count)
    for name in names[0].union(names[1]) { #expect(!hashed.contains(name), "\(name)") }
    // Computed with Python's hmac module.
    #expect(plain.contains("\"name\":\"touch events\"") && hashed.contains("\"name\":\"#bac613f5ea820999\""))
    let others = folder.file("other")
    try Data(repeating: 0xAB, count: 131).write(to: URL(fileURLWithPath: others))
    let second = try summarize(traces, "--salt-file", others, to: "second.jsonl")
    let found = timers(try String(contentsOfFile: second, encoding: .utf8))
    #expect(found[0].isDisjoint(with: hashes[0]) && found[0].count == hashes[0].count)
    // The hashes merge as the names do.
    func rows(_ file: String) throws -> Int {
      try Program.rltrace.run(["fleet", file, "--format", "jsonl"]).output.split(separator: "{").count
    }
    #expect(try rows(path) == rows(folder.file("plain.jsonl")))
    for size in [0, 15, 4_097] {
      try Data(repeating: 1, count: size).write(to: URL(fileURLWithPath: secret))
      let refused = try Program.rltrace.run(["summarize", traces[0], "--salt-file", secret])
      #expect(refused.status == 65 && refused.output.isEmpty && refused.errors.contains("16 to 4096 bytes"))
    }
    #expect(try Program.rltrace.run(["summarize", traces[0], "--salt-file", folder.file("no")]).status == 66)
  }

  /// The page says how many values and days it leaves out, and keeps those with the most sessions.
  @Test func thePageSaysWhatIsLeftOut() throws {
    let line = try String(
      contentsOfFile: try summarize([SampleTraces.virtual("timer-starvation")], to: "one.jsonl"),
      encoding: .utf8)
    var text = ""
    for number in 0..<70 {
      var copy = line.replacingOccurrences(of: "\"id\":\"", with: "\"id\":\"\(number)-")
      let day = number < 30 ? "2026-10-\(number + 1 < 10 ? "0" : "")\(number + 1)" : "2026-11-\(number - 19)"
      copy.replace(#/"day":"[^"]*",?/#) { _ in "" }
      copy = copy.replacingOccurrences(
        of: "\"keys\":{",
        with:
          "\"keys\":{\"day\":\"\(day)\",\"os\":\"os\(min(number, 31))\",\"device\":\"d\(min(number, 33))\",")
      text += copy.replacingOccurrences(of: ",}", with: "}")
    }
    let page = folder.file("fleet.html")
    let file = try folder.file("many.jsonl", text)
    let result = try Program.rltrace.run(["fleet", file, "--by", "os,device", "--html", page])
    #expect(result.status == 0, "\(result.errors)")
    let html = try String(contentsOfFile: page, encoding: .utf8)
    #expect(html.contains("2 more values of os with fewer sessions"))
    #expect(html.contains("4 more values of device with fewer sessions"))
    #expect(html.contains("the newest 60 of 70 days"))
    // The last values have the most sessions.
    #expect(html.contains("<th scope=\"col\"><bdi>d33</bdi></th>"))
    #expect(html.contains("<th scope=\"row\"><bdi>os31</bdi></th>"))
    #expect(try Program.rltrace.run(["fleet", file, "--by", "os", "--html", page]).status == 0)
    #expect(!(try String(contentsOfFile: page, encoding: .utf8)).contains("more value"))
  }

  @Test func thePageEscapesNames() throws {
    let line = try String(
      contentsOfFile: try summarize([SampleTraces.virtual("timer-starvation")], to: "one.jsonl"),
      encoding: .utf8)
    let hostile = try folder.file(
      "hostile.jsonl",
      line.replacingOccurrences(of: "refresh (", with: "<script>alert(1)</script>("))
    let page = folder.file("fleet.html")
    #expect(try Program.rltrace.run(["fleet", hostile, "--by", "build,os", "--html", page]).status == 0)
    let html = try String(contentsOfFile: page, encoding: .utf8)
    #expect(!html.contains("<script") && html.contains("&lt;script&gt;alert(1)"))
    #expect(html.contains("Hang time per hour by build and os"))
  }

  /// Hitches of frame sources in text, page and JSON.
  @Test func frames() throws {
    let trace = HandTrace(main: HandTrace.frames(5, took: [2: 15_000]))
    let file = try folder.file("frames.rltrace", assembleTrace(trace.text()))
    let lines = try summarize([file], "--set", "build=1", to: "frames.jsonl")
    let page = folder.file("frames.html")
    let text = try Program.rltrace.run(
      ["fleet", lines, "--by", "build", "--html", page], environment: ["COLUMNS": "160"])
    #expect(text.status == 0 && text.output.contains("200 ms/s"), "\(text)")
    #expect(text.output.contains("Frame sources with the most hitch time"), "\(text)")
    let html = try String(contentsOfFile: page, encoding: .utf8)
    #expect(html.contains("200 ms/s") && html.contains("Frame sources with the most hitch time"))
    let json = try Program.rltrace.run(["fleet", lines, "--by", "build", "--format", "json"])
    let groups = try #require(try JSONValues(json.output).root["groups"] as? [[String: Any]])
    let group = try #require(groups.first)
    #expect(group["hitch_ns"] as? Int == 10_000_000 && group["frames_active_ns"] as? Int == 50_000_000)
    #expect(group["hitch_ratio"] as? Double == 200)
  }
}
