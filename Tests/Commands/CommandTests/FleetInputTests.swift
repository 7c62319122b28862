import Foundation
import TestSupport
import Testing

/// `rltrace summarize` and `rltrace fleet` with inputs at their limits.
@Suite struct FleetInputTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let fixtures = ProjectFiles.root.deletingLastPathComponent()
    .appendingPathComponent("shared/fixtures/field/limits").path
  private static let hasFixtures = FileManager.default.fileExists(atPath: fixtures)

  /// Returns the line of a trace of virtual time, changed.
  private func line(_ change: (inout String) -> Void = { _ in }) throws -> String {
    let result = try Program.rltrace.run(["summarize", SampleTraces.virtual("timer-starvation")])
    #expect(result.status == 0, "\(result.errors)")
    var line = result.output
    change(&line)
    return line
  }

  @Test(
    .enabled(if: hasFixtures, "needs ../shared/fixtures/field/limits"),
    arguments: [
      ("hang", []), ("lossy3", []), ("meas", ["--by", "os", "--base", "build=1", "--new", "build=2"]),
      ("meas2", ["--by", "os", "--base", "build=1", "--new", "build=2"]), ("page", ["--by", "os,device"]),
    ] as [(String, [String])])
  func largestNumbers(of name: String, options: [String]) throws {
    let page = folder.file("fleet.html")
    let result = try Program.rltrace.run(
      ["fleet", "\(Self.fixtures)/fleet-trap-\(name).jsonl", "--html", page] + options)
    #expect([0, 1, 65].contains(result.status), "\(result)")
    #expect(FileManager.default.fileExists(atPath: page) == (result.status != 65))
  }

  /// Each sum of a line is the largest number, one at a time and all together.
  @Test func linesWithTheLargestNumbers() throws {
    let most = Int64.max
    let all = try line {
      $0.replace(#/("[a-z0-9_]+_ns"|"count"|"due"|"skipped"|"subjects"):\d+/#) { "\($0.1):\(most)" }
    }
    let lines = [
      all, all.replacing(#/"id":"[^"]*",/#, with: ""),
      try line { $0.replace(#/"values":\[\[\d+,1\]\]/#) { _ in "\"values\":[[\(most),\(most)]]" } },
      try line { $0.replace(#/"sessions":1/#) { _ in "\"sessions\":\(most)" } }
        .replacing(#/"id":"[^"]*",/#, with: ""),
    ]
    var text = ""
    for (number, line) in lines.enumerated() {
      for build in 1...3 {
        text += line.replacingOccurrences(of: "\"id\":\"", with: "\"id\":\"\(number)-\(build)-")
          .replacingOccurrences(
            of: "\"keys\":{", with: "\"keys\":{\"build\":\"\(build)\",\"os\":\"\(number)\",")
      }
    }
    let file = try folder.file("largest.jsonl", text)
    for format in ["text", "json", "csv", "jsonl", "markdown"] {
      let result = try Program.rltrace.run(
        [
          "fleet", file, "--by", "os,build", "--base", "build=1", "--new", "build=2", "--format", format,
          "--html",
          folder.file("fleet.html"),
        ])
      #expect([0, 1, 2].contains(result.status), "\(result)")
    }
  }

  /// Hangs are more common in one of three systems. No interval contradicts an outcome.
  @Test(
    .enabled(
      if: FileManager.default.fileExists(atPath: fixtures + "/../fleet"),
      "needs ../shared/fixtures/field/fleet"),
    arguments: ["hang-in-one-os", "starve-in-one-os"])
  func aRegressionInOneSystem(name: String) throws {
    let file = folder.file("fleet.jsonl")
    let packed = Process()
    packed.executableURL = URL(fileURLWithPath: "/bin/sh")
    packed.arguments = [
      "-c", "exec xz -dc \"$0\" >\"$1\"", "\(Self.fixtures)/../fleet/\(name).jsonl.xz", file,
    ]
    try packed.run()
    packed.waitUntilExit()
    let result = try Program.rltrace.run(
      ["fleet", file, "--by", "os,device", "--base", "build=A", "--new", "build=B", "--format", "json"])
    let tests = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
    let rows = try #require(tests?["tests"] as? [[String: Any]])
    for row in rows where ["worse", "better"].contains(row["outcome"] as? String ?? "") {
      let low = try #require(row["difference_low"] as? Double),
        high = try #require(row["difference_high"] as? Double)
      #expect(low > 0 || high < 0, "\(row)")
    }
    guard name == "hang-in-one-os" else { return }
    #expect(result.status == 1)
    let hangs = try #require(
      rows.first { $0["question"] as? String == "has_hang" && $0["stratum"] as? String == "os=2" })
    #expect(hangs["outcome"] as? String == "worse")
    let headline = try #require(tests?["headline"] as? String)
    #expect(headline.contains("os=2") && headline.contains("main-queue block"), "\(headline)")
  }

  /// The loop runs for 21 µs, and ten minutes or a minute pass between two runs.
  @Test(arguments: [600, 63]) func aLongTimeBetweenRuns(seconds: Int) throws {
    let run = { (at: Int) in
      """
        \(at) run.begin m1 #1 timeout_ns=1000000000 return_after_source=1
        \(at) Entry.low m1 #1
        \(at) BeforeTimers.low m1 #1
        \(at) BeforeSources.low m1 #1
        \(at) source0.begin m1 #2
        \(at + 10) source0.end m1 #2
        \(at + 10) Exit.low m1 #1
        \(at + 10) run.end m1 #1 result=4

      """
    }
    let text = try folder.file(
      "long.rltext",
      """
      rltrace-text 1
      header minor=2 unit=1us codec=none capture=callouts clock=monotonic high=no
      strings
        1 "loop"
      threads
        0 os=5 main=yes "main"
      modes
        1 "kCFRunLoopDefaultMode"
      events thread=0
        0 loop.create #1 name=1
      \(run(1))\(run(seconds * 1_000_000))end

      """)
    let trace = folder.file("long.rltrace")
    #expect(try Program.rltrace.run(["assemble", text, "-o", trace]).status == 0)
    let summary = try Program.rltrace.run(["summarize", trace])
    #expect(summary.status == 0 && summary.output.contains("\"hangs\":0,\"hang_ns\":0"), "\(summary)")
    #expect(
      summary.output.contains("\"question\":\"has_hang\",\"subject\":\"\",\"sessions\":1,\"values\":[[0,1]]"))
    let fleet = try Program.rltrace.run(["fleet", "-", "--format", "json"], input: summary.output)
    #expect(fleet.status == 0, "\(fleet)")
    #expect(fleet.output.contains("\"hang_ns_per_hour\" : 0"), "\(fleet.output)")
  }

  /// A hang lies at least half in runs. A line with more is not a summary.
  @Test func hangTimeBeyondTheTimeInRuns() throws {
    let bad = try line { $0.replace(#/"hang_ns":\d+/#) { _ in "\"hang_ns\":9000000000000000" } }
    let result = try Program.rltrace.run(["fleet", "-"], input: bad)
    #expect(result.status == 65 && result.errors.contains("loops.hang_ns is more than twice loops.time_ns"))
    #expect(result.errorLines.count == 1, "\(result.errors)")
  }

  /// A line beyond the limit is one line, and the lines behind it are read.
  @Test func aLineBeyondTheLimit() throws {
    let long = String(repeating: "x", count: (1 << 24) * 2 + 7)
    let result = try Program.rltrace.run(
      ["fleet", try folder.file("long.jsonl", long + "\n" + line()), "--format", "json"])
    #expect(result.status == 65 && result.errorLines.count == 1, "\(result.errors)")
    let json = try JSONValues(result.output)
    #expect(json.text("sessions") == "1" && json.text("rejected") == "1")
  }

  /// Devices and pipes in a folder are reported. A pipe without a writer is refused.
  @Test func inputsWithoutAnEnd() throws {
    let place = folder.file("in")
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    try folder.file("in/good.jsonl", line())
    try FileManager.default.createSymbolicLink(
      atPath: "\(place)/zero.jsonl", withDestinationPath: "/dev/zero")
    #expect(mkfifo("\(place)/pipe.jsonl", 0o600) == 0)
    let result = try Program.rltrace.run(["fleet", place, "--format", "json"])
    #expect(result.status == 65 && result.errorLines.count == 2, "\(result.errors)")
    #expect(try JSONValues(result.output).text("sessions") == "1")
    let pipe = try Program.rltrace.run(["fleet", "\(place)/pipe.jsonl"])
    #expect(pipe.status == 66 && pipe.errors.contains("no program writes to this pipe"), "\(pipe)")
    let device = try Program.rltrace.run(["fleet", "\(place)/zero.jsonl"])
    #expect(device.status == 66 && device.errors.contains("not a file, a pipe or a terminal"), "\(device)")
  }

  /// No text of a line reaches the terminal or a page unescaped.
  @Test func allTextsAreEscaped() throws {
    let evil = "\\u001b[2J\\u202e\\u0007"
    let text = try line {
      $0.replace(
        #/"(rule|severity|mode|modes|timer|name|kind|role|function|image|cause|class|longest_in|capture_level|day|scenario)":"/#
      ) { "\"\($0.1)\":\"\(evil)" }
    }
    let file = try folder.file("evil.jsonl", text)
    let page = folder.file("fleet.html")
    for options in [["text"], ["json"], ["csv"], ["markdown"], ["text", "--html", page]] {
      let result = try Program.rltrace.run(["fleet", file, "--by", "scenario,day", "--format"] + options)
      #expect(result.status == 0, "\(result.errors)")
      for scalar in ["\u{1B}", "\u{202E}", "\u{7}"] {
        #expect(!(result.output + result.errors).contains(scalar), "\(options)")
      }
    }
    let html = try String(contentsOfFile: page, encoding: .utf8)
    #expect(!html.contains("\u{1B}") && !html.contains("\u{202E}"))
  }
}
