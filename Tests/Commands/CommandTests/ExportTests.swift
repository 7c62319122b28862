import Foundation
import TestSupport
import Testing

/// `rltrace export` and `analyze --csv`.
@Suite struct ExportTests {
  private struct Exported {
    var json: JSONValues
    var tables: [String: CSVText]
    func sum(_ table: String, _ column: String) throws -> UInt64 {
      try #require(tables[table]?[column]).reduce(0) { $0 + (UInt64($1) ?? 0) }
    }
  }

  private func export(_ trace: String) throws -> Exported {
    let folder = try TemporaryFolder()
    let result = try Program.rltrace.run(
      ["analyze", "--format", "json", "--csv", folder.file("tables"), trace])
    #expect(result.status == 0, "\(result.errors)")
    var tables: [String: CSVText] = [:]
    for file in try FileManager.default.contentsOfDirectory(atPath: folder.file("tables"))
    where file.hasSuffix(".csv") {
      let text = try String(contentsOfFile: folder.file("tables/\(file)"), encoding: .utf8)
      tables[String(file.dropLast(4))] = try CSVText(text)
    }
    return Exported(json: try JSONValues(result.output), tables: tables)
  }

  @Test func thereAreSamples() { #expect(SampleTraces.analyzable.count >= 30) }

  /// Each cell must equal the number in JSON at the path that the column's name gives.
  @Test(arguments: SampleTraces.analyzable)
  func sameNumbersAsJSON(name: String) throws {
    let exported = try export(SampleTraces.path(name))
    #expect(exported.tables.count == 31)
    // Columns without a key in JSON.
    let own: Set = ["classes", "evidence_count", "id", "places"]
    for table in [
      "modes", "topology", "gaps", "busy", "timers", "callouts", "marks", "intervals", "interval_names",
      "findings",
    ] {
      let rows = exported.json.list(table)
      let csv = try #require(exported.tables[table])
      #expect(csv.rows.count == rows.count)
      for (row, object) in zip(csv.rows, rows) {
        for (cell, column) in zip(row, csv.header) where !own.contains(column) {
          let expected = exported.json.text(column, below: object) ?? ""
          #expect(cell == expected, "\(table).\(column)")
          if cell != expected { return }
        }
      }
    }
    let facts = try #require(exported.tables["trace"])
    for row in facts.rows {
      #expect(row[1] == (exported.json.text("trace.\(row[0])") ?? ""), "\(row[0])")
    }
  }

  /// The rows of passes and of due points add up to the results.
  @Test(arguments: SampleTraces.analyzable)
  func recordsAddUp(name: String) throws {
    let exported = try export(SampleTraces.path(name))
    let passes = try #require(exported.tables["passes"])
    #expect(UInt64(passes.rows.count) == (try exported.sum("modes", "passes")))
    let parts = passes.header.indices.filter { $0 > 3 }
    for row in passes.rows {
      let numbers = row.map { UInt64($0) ?? 0 }
      #expect(parts.reduce(0) { $0 + numbers[$1] } == numbers[3] - numbers[2])
    }
    let fires = try #require(exported.tables["timer_fires"])
    let outcome = try #require(fires["outcome"])
    let count = try #require(fires["count"]).map { UInt64($0) ?? 0 }
    for kind in ["fired", "skipped", "withdrawn", "pending"] {
      let listed = zip(outcome, count).filter { $0.0 == kind }.reduce(0) { $0 + $1.1 }
      #expect(listed == (try exported.sum("timers", kind)), "\(kind)")
    }
    #expect(try exported.sum("timer_fires", "lateness_ns") == exported.sum("timers", "lateness_ns.sum"))
    for cause in [
      "busy", "wrong_mode", "scheduler", "suspended", "not_running", "own_callout", "unknown", "tolerance",
    ] {
      #expect(
        try exported.sum("timer_fires", "ledger_ns.\(cause)") == exported.sum("timers", "ledger_ns.\(cause)"))
    }
  }

  @Test func oneTableOnStandardOutput() throws {
    let trace = SampleTraces.virtual("timer-starvation")
    let csv = try Program.rltrace.run(["export", trace, "--table", "timers"])
    #expect(csv.status == 0 && csv.errors.isEmpty)
    let table = try CSVText(csv.output)
    let lines = try Program.rltrace.run(["export", trace, "--table", "timers", "--format", "jsonl"])
    let objects = try lines.output.split(separator: "\n").map {
      try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
    }
    #expect(objects.map { $0?["name"] as? String } == (try #require(table["name"])))
    #expect(objects.allSatisfy { $0?.count == table.header.count })
  }

  @Test func jsonLinesInAFolder() throws {
    let folder = try TemporaryFolder()
    let result = try Program.rltrace.run([
      "export", SampleTraces.virtual("modes"), "--format", "jsonl", "-o", folder.file("a/b"),
    ])
    #expect(result.status == 0 && result.output.isEmpty, "\(result.errors)")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.file("a/b")).sorted()
    #expect(
      names == [
        "README.txt", "busy.jsonl", "callouts.jsonl", "end.jsonl", "end_callouts.jsonl",
        "finding_subjects.jsonl", "findings.jsonl",
        "frames.jsonl", "functions.jsonl", "gaps.jsonl", "hitches.jsonl", "interval_names.jsonl",
        "intervals.jsonl", "marks.jsonl", "modes.jsonl", "passes.jsonl",
        "stacks.jsonl", "stalls.jsonl", "state_callouts.jsonl", "state_frames.jsonl",
        "state_modes.jsonl", "state_timers.jsonl",
        "state_values.jsonl", "states.jsonl", "tasks.jsonl", "timer_fires.jsonl", "timer_modes.jsonl",
        "timers.jsonl",
        "topology.jsonl", "trace.jsonl", "unserved.jsonl", "work_queues.jsonl",
      ])
  }

  /// The data dictionary contains each column of each table.
  @Test func dictionary() throws {
    let folder = try TemporaryFolder()
    _ = try Program.rltrace.run(["export", SampleTraces.virtual("modes"), "-o", folder.path])
    let text = try String(contentsOfFile: folder.file("README.txt"), encoding: .utf8)
    for file in folder.names where file.hasSuffix(".csv") {
      let table = try CSVText(try String(contentsOfFile: folder.file(file), encoding: .utf8))
      #expect(text.contains("\n\(file.dropLast(4)): "))
      for column in table.header { #expect(text.contains("  \(column) "), "\(file) \(column)") }
    }
  }

  @Test func hostileNames() throws {
    let long = String(repeating: "x", count: 512)
    let names = [
      "=cmd()", "+1", "-1", "@SUM(A1)", "a,b\"c", "line\u{1}\n\r\u{7}", "\u{202E}txt.exe", "<script>", long,
    ]
    let trace = try HostileNames.trace(names)
    let folder = try TemporaryFolder()
    try Data(trace).write(to: URL(fileURLWithPath: folder.file("hostile.rltrace")))
    let result = try Program.rltrace.run(["export", folder.file("hostile.rltrace"), "--table", "timers"])
    #expect(result.status == 0, "\(result.errors)")
    let table = try CSVText(result.output)
    let found = try #require(table["name"])
    #expect(found.count == names.count)
    for name in found {
      #expect(!"=+-@".contains(name.first ?? " "))
      #expect(
        name.unicodeScalars.allSatisfy { ![.control, .format].contains($0.properties.generalCategory) })
    }
    #expect(found.contains("'=cmd()") && found.contains("a,b\"c") && found.contains(long))
    let lines = try Program.rltrace.run([
      "export", folder.file("hostile.rltrace"), "--table", "timers", "--format", "jsonl",
    ])
    let exact = try lines.output.split(separator: "\n").map {
      (try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])?["name"] as? String
    }
    #expect(exact == names)
  }

  @Test func mistakes() throws {
    let trace = SampleTraces.virtual("modes")
    #expect(try Program.rltrace.run(["export", trace]).status == 64)
    #expect(try Program.rltrace.run(["export", trace, "-o", "x", "--table", "gaps"]).status == 64)
    #expect(try Program.rltrace.run(["export", trace, "--table", "nothing"]).status == 64)
    #expect(try Program.rltrace.run(["export", "/nowhere.rltrace", "--table", "gaps"]).status == 66)
    #expect(try Program.rltrace.run(["analyze", trace, trace, "--csv", "x"]).status == 64)
    let folder = try TemporaryFolder()
    try "".write(toFile: folder.file("file"), atomically: true, encoding: .utf8)
    let blocked = try Program.rltrace.run(["export", trace, "-o", folder.file("file")])
    #expect(blocked.status == 73 && blocked.errorLines.count == 1, "\(blocked.errors)")
    // No partial output remains.
    try FileManager.default.createDirectory(
      atPath: folder.file("out/gaps.csv"), withIntermediateDirectories: true)
    let half = try Program.rltrace.run(["export", trace, "-o", folder.file("out")])
    #expect(half.status == 73, "\(half.errors)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("out")) == ["gaps.csv"])
  }

  /// A reader that closes the pipe early is not an error.
  @Test func head() throws {
    let result = try Program(
      shell: "\"$0\" export \"$1\" --table timer_fires | head -n 1; echo ${PIPESTATUS[0]}"
    ).run([
      Program.rltrace.path, SampleTraces.virtual("timer-starvation"),
    ])
    #expect(result.output.utf8.suffix(3).elementsEqual("\n0\n".utf8) && result.errors.isEmpty)
  }

  // MARK: Files for other programs

  private static let check = ProjectFiles.root.appendingPathComponent("tools/exchange-check").path

  @Test(arguments: ["real/stalls", "virtual/stuttering-app", "frozen/1.0/sample-zstd"])
  func filesForViewersAreConsistent(name: String) throws {
    let folder = try TemporaryFolder()
    for (format, file) in [("firefox", "a.json"), ("speedscope", "a.speedscope.json")] {
      let result = try Program.rltrace.run(
        ["export", SampleTraces.path("\(name).rltrace"), "--format", format, "-o", folder.file(file)])
      #expect(result.status == 0, "\(result.errors)")
      #expect(result.errors.contains("open it in"))
    }
    let check = try Program(shell: "\"$0\" \"$@\"").run(
      [Self.check, folder.file("a.json"), folder.file("a.speedscope.json")])
    #expect(check.status == 0, "\(check.output) \(check.errors)")
  }

  /// Each cell of a database equals the cell of the CSV file, and all views can be read.
  @Test(arguments: ["real/stalls", "virtual/stuttering-app", "virtual/watchdog-phases"])
  func databaseHasTheSameTables(name: String) throws {
    let folder = try TemporaryFolder()
    let trace = SampleTraces.path("\(name).rltrace")
    #expect(try Program.rltrace.run(["export", trace, "-o", folder.file("csv")]).status == 0)
    let result = try Program.rltrace.run(["export", trace, "--format", "sqlite", "-o", folder.file("a.db")])
    #expect(result.status == 0, "\(result.errors)")
    let check = try Program(shell: "\"$0\" \"$@\"").run(
      [Self.check, "--tables", folder.file("csv"), folder.file("a.db")])
    #expect(check.status == 0, "\(check.output) \(check.errors)")
  }

  /// The tables by the values of a state: each number is that of `analyze --by`.
  @Test func byTheValuesOfAState() throws {
    let folder = try TemporaryFolder()
    let trace = try folder.file("frames.rltrace", assembleTrace(HandTrace.frames().text()))
    let table = try Program.rltrace.run(["export", trace, "--table", "state_frames", "--by", "state:read"])
    #expect(table.status == 0, "\(table.errors)")
    let csv = try CSVText(table.output)
    let analyzed = try Program.rltrace.run(["analyze", trace, "--by", "state:read", "--format", "json"])
    let json = try JSONValues(analyzed.output)
    let rows = json.list("state_frames")
    #expect(rows.count == 3 && csv.rows.count == rows.count)
    for (row, object) in zip(csv.rows, rows) {
      for (cell, column) in zip(row, csv.header) where column != "hitch_ratio" {
        #expect(cell == json.text(column, below: object) ?? "", "\(column)")
      }
    }
    let database = try Program.rltrace.run(
      ["export", trace, "--by", "state:read", "--format", "sqlite", "-o", folder.file("a.db")])
    #expect(database.status == 0, "\(database.errors)")
    let all = try Program.rltrace.run(["export", trace, "--by", "state:read", "-o", folder.file("csv")])
    #expect(all.status == 0, "\(all.errors)")
    let check = try Program(shell: "\"$0\" \"$@\"").run(
      [Self.check, "--tables", folder.file("csv"), folder.file("a.db")])
    #expect(check.status == 0, "\(check.output) \(check.errors)")
    let unknown = try Program.rltrace.run(["export", trace, "--by", "state:reed", "-o", folder.file("none")])
    #expect(unknown.status == 64 && unknown.errors.contains("no state 'reed'"), "\(unknown.errors)")
  }

  @Test func profileOfPprof() throws {
    let folder = try TemporaryFolder()
    let trace = SampleTraces.path("real/stalls.rltrace")
    let result = try Program.rltrace.run(["export", trace, "--format", "pprof", "-o", folder.file("a.pb")])
    #expect(result.status == 0 && result.errors.contains("go tool pprof"), "\(result.errors)")
    // The first field is a type of values.
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file("a.pb"))).first == 10)
    let none = try Program.rltrace.run([
      "export", SampleTraces.virtual("modes"), "--format", "pprof", "-o", folder.file("none.pb"),
    ])
    #expect(none.status == 0 && none.errors.contains("no sampled stacks"), "\(none.errors)")
    let page = try ProjectFiles.text("docs/reference/formats/pprof.md")
    #expect(page.contains("--format pprof"))
  }

  /// A refused export leaves no file, and says what fits.
  @Test func tooManySlices() throws {
    let folder = try TemporaryFolder()
    let result = try Program.rltrace.run([
      "export", SampleTraces.virtual("stuttering-app"), "--format", "perfetto", "--max-slices", "100", "-o",
      folder.file("a.pftrace"),
    ])
    #expect(result.status == 64)
    #expect(result.errors.contains("the limit is 100") && result.errors.contains("--min-duration"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  @Test(arguments: [
    ["--format", "perfetto"], ["--format", "perfetto", "--table", "passes", "-o", "x"],
    ["--format", "csv", "--min-duration", "1ms", "-o", "x"], ["--format", "sqlite", "-o", "-"],
    ["--format", "sqlite", "--max-slices", "5", "-o", "x"], ["--format", "pprof"],
    ["--format", "pprof", "--table", "stacks", "-o", "x"],
    ["--format", "pprof", "--max-slices", "5", "-o", "x"],
  ])
  func mistakesWithViewers(options: [String]) throws {
    let result = try Program.rltrace.run(["export", SampleTraces.virtual("modes")] + options)
    #expect(result.status == 64)
    #expect(result.errorLines.count <= 3)
  }
}
