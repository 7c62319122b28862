import Foundation
import TestSupport
import Testing

/// `rltrace import`, and what the other commands say about an imported trace.
@Suite struct ImportCommandTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A document of runloop-events. The main thread of each process runs its loop for 400 ms and waits for 100 ms.
  private func export(_ name: String, processes: [String] = ["App"]) throws -> String {
    let columns = [
      "timestamp", "interval-type", "event-type", "nesting-level", "mode", "is-main", "thread", "timeout",
      "other-arg",
    ]
    var text = "<trace-query-result><node xpath='//run[1]'><schema name=\"runloop-events\">"
    for column in columns { text += "<col><mnemonic>\(column)</mnemonic></col>" }
    text += "</schema>"
    for (number, process) in processes.enumerated() {
      for (time, kind, event, timeout) in [
        (1, "runloop_run", 1, 1), (2, "individual_iteration", 1, 1), (400, "waiting_for_events", 1, 1),
        (500, "waiting_for_events", 2, 1), (501, "individual_iteration", 2, 1), (502, "runloop_run", 2, 1),
      ] {
        text += """
          <row><event-time>\(time)000000</event-time><short-string>\(kind)</short-string><kdebug-func>\(event)</kdebug-func>\
          <uint64>1</uint64><medium-length-string>kCFRunLoopDefaultMode</medium-length-string><boolean>1</boolean>\
          <thread fmt="Main Thread (0x\(number + 1)) (\(process))"><tid>\(number + 1)</tid><process fmt="\(process) (\(number + 7))">\
          <pid>\(number + 7)</pid></process></thread><uint64>\(timeout)</uint64><uint64>0</uint64></row>
          """
      }
    }
    text += "</node></trace-query-result>"
    let path = folder.file(name)
    try text.write(toFile: path, atomically: false, encoding: .utf8)
    return path
  }

  private func imported() throws -> String {
    let trace = folder.file("app.rltrace")
    let result = try Program.rltrace.run(["import", try export("events.xml"), "-o", trace])
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors.contains("App (7), 1 thread, 1 run, 1 iteration, 1 wait"))
    #expect(result.errors.contains("starvation cannot be judged"))
    return trace
  }

  @Test func missingNumbersAreNull() throws {
    let trace = try imported()
    let result = try Program.rltrace.run([
      "analyze", "--format", "json", "--csv", folder.file("tables"), trace,
    ])
    #expect(result.status == 0)
    let json = try JSONValues(result.output)
    let mode = try #require(json.list("modes").first)
    #expect(json.text("phases_ns.waiting", below: mode) == "100000000")
    for key in [
      "phases_ns.BeforeTimers", "phases_ns.BeforeSources", "phases_ns.Entry", "empty_polls", "polling_ns",
      "wakes_for_nothing",
    ] {
      #expect(json.text(key, below: mode) == nil, "\(key)")
    }
    #expect(json.list("timers").isEmpty && json.list("callouts").isEmpty)
    #expect(json.list("detectors").count == 1)
    #expect(result.output.contains("the trace was imported"))
    let passes = try CSVText(try String(contentsOfFile: folder.file("tables/modes.csv"), encoding: .utf8))
    #expect(passes["phases_ns.BeforeSources"] == [""])
    try #expect(Program.rltrace.run(["validate", trace]).status == 0)
  }

  @Test func passesHaveNoPhases() throws {
    let trace = try imported()
    let result = try Program.rltrace.run(["export", trace, "--table", "passes"])
    #expect(result.status == 0, "\(result.errors)")
    let passes = try CSVText(result.output)
    #expect(passes["phases_ns.waiting"] == ["100000000"])
    #expect(passes["phases_ns.BeforeSources"] == [""])
  }

  @Test func aRuleAboutTimersIsUndecided() throws {
    let trace = try imported()
    let undecided = try Program.rltrace.run(["gate", trace, "--rule", "p99(lateness) < 20ms"])
    #expect(undecided.status == 2)
    #expect(undecided.output.contains("imported"))
    #expect(try Program.rltrace.run(["gate", trace, "--rule", "max(busy) < 250ms"]).status == 1)
  }

  @Test func aHangHasNoCulprit() throws {
    let result = try Program.rltrace.run(["analyze", try imported()])
    #expect(result.output.contains("RL002"))
    #expect(result.output.contains("the recording has no callouts"))
    #expect(!result.output.contains("semaphore"))
  }

  @Test func severalProcesses() throws {
    let file = try export("two.xml", processes: ["One", "Two"])
    let out = folder.file("out.rltrace")
    let refused = try Program.rltrace.run(["import", file, "-o", out])
    #expect(refused.status == 64)
    #expect(refused.errors.contains("One (7), Two (8)"))
    #expect(!FileManager.default.fileExists(atPath: out))
    for choice in ["Two", "8"] {
      let result = try Program.rltrace.run(["import", file, "-o", out, "--process", choice])
      #expect(result.status == 0 && result.errors.contains("Two (8)"), "\(result.errors)")
    }
    #expect(try Program.rltrace.run(["import", file, "-o", out, "--process", "Three"]).status == 64)
    let list = try Program.rltrace.run(["import", file, "--list"])
    #expect(
      list.output.contains("table    runloop-events  12 rows\nprocess  One (7)  3 intervals of run loops\n"))
  }

  @Test func hangsListedByInstruments() throws {
    let hangs = folder.file("hangs.xml")
    try """
    <trace-query-result><node><schema name="potential-hangs"><col><mnemonic>start</mnemonic></col>\
    <col><mnemonic>duration</mnemonic></col><col><mnemonic>hang-type</mnemonic></col></schema>\
    <row><start-time>2000000</start-time><duration>398000000</duration><hang-type>Microhang</hang-type></row>\
    <row><start-time>450000000</start-time><duration>20000000</duration><hang-type>Microhang</hang-type></row>\
    </node></trace-query-result>
    """.write(toFile: hangs, atomically: false, encoding: .utf8)
    let result = try Program.rltrace.run(
      ["import", try export("events.xml"), hangs, "-o", folder.file("app.rltrace")])
    #expect(
      result.errors.contains("Instruments lists 2 hangs; 1 of them equal busy intervals"), "\(result.errors)")
    #expect(result.errors.contains("only in Instruments: 20.0 ms at 0.450000 s, Microhang"))
  }

  @Test func refusals() throws {
    let out = folder.file("out.rltrace")
    let whole = try String(contentsOfFile: try export("events.xml"), encoding: .utf8)
    try String(whole.dropLast(100)).write(toFile: folder.file("cut.xml"), atomically: false, encoding: .utf8)
    for (words, status, part) in [
      ([folder.file("cut.xml"), "-o", out], 65, "line 1, column"),
      ([folder.file("app.trace"), "-o", out], 69, "only a Mac"),
      ([folder.file("none.xml"), "-o", out], 66, "cannot open"), ([folder.file("events.xml")], 64, "--list"),
      ([SampleTraces.virtual("modes"), "-o", out], 65, "a trace, where a text is expected"),
    ] as [([String], Int32, String)] {
      let result = try Program.rltrace.run(["import"] + words)
      #expect(
        result.status == status && result.errors.contains(part) && result.errorLines.count == 1, "\(result)")
    }
    #expect(!FileManager.default.fileExists(atPath: out))
  }
}
