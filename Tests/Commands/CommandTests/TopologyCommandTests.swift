import Foundation
import TestSupport
import Testing

/// `rltrace topology`, run as a user runs it.
@Suite struct TopologyCommandTests {
  private let folder: TemporaryFolder
  private let log = ProjectFiles.root.appendingPathComponent("Tests/Fixtures/Dumps/notes-app.log").path

  init() throws { folder = try TemporaryFolder() }

  private func topology(_ arguments: String..., input: String = "") throws -> Program.Result {
    try Program.rltrace.run(["topology"] + arguments, input: input)
  }

  @Test func aTree() throws {
    let result = try topology(log)
    #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
    let lines = result.output.split(separator: "\n").map(String.init)
    for line in [
      "  current mode  kCFRunLoopDefaultMode",
      "  common modes  UITrackingRunLoopMode, kCFRunLoopDefaultMode",
      "  common items  8, marked * in the modes",
      "  * __handleHIDEventFetcherDrain           -2",
      "  * _runLoopObserverWithAutoreleasePool               BeforeWaiting | Exit   2147483647",
      "    NotesController saveDraft (Delayed Perform)      once    500 ms",
    ] {
      #expect(lines.contains(line), "\(line)\n\(result.output)")
    }
    let modes = lines.filter { $0.first != " " }.dropFirst()
    #expect(
      modes == [
        "kCFRunLoopDefaultMode (common, current)", "GSEventReceiveRunLoopMode",
        "UITrackingRunLoopMode (common)", "Glossary",
      ], "\(modes)")
    #expect(result.output.contains("CA::Transaction::observ"))
  }

  /// The glossary explains each mode and item once, and lists those that are not known.
  @Test func aGlossary() throws {
    let output = try topology(log).output
    let glossary = output[try #require(output.range(of: "\nGlossary\n")).upperBound...]
    for start in [
      "  kCFRunLoopDefaultMode (CoreFoundation): the mode for ", "  __handleEventQueue (UIKit): passes ",
      "  unknown: __IOHIDEventServiceCallback\n",
    ] {
      #expect(glossary.ranges(of: start).count == 1, "\(start)\n\(glossary)")
    }
    let page = try ProjectFiles.text("docs/reference/commands/topology.md")
    for line in glossary.split(separator: "\n").prefix(2) {
      #expect(page.contains("    \(line)\n"), "\(line)")
    }
  }

  /// The page shows the output of the command, up to the second mode.
  @Test func thePagesExamples() throws {
    let page = try ProjectFiles.text("docs/reference/commands/topology.md")
    let folder = URL(fileURLWithPath: log).deletingLastPathComponent().path
    for arguments in [[], ["--diff", "notes-app.log", "--diff-index", "2"]] {
      let run = try Program.rltrace.run(["topology", "notes-app.log"] + arguments, folder: folder)
      for line in run.output.split(separator: "\n").prefix(while: { !$0.hasPrefix("GSEvent") }) {
        #expect(page.contains("    \(line)\n"), "\(line)")
      }
    }
  }

  @Test func json() throws {
    let values = try JSONValues(try topology(log, "--format", "json").output)
    #expect(values.text("schema") == "rltrace.topology/1" && values.text("line") == "2")
    #expect(values.text("current_mode") == "kCFRunLoopDefaultMode")
    #expect(values.text("common_modes") == "UITrackingRunLoopMode, kCFRunLoopDefaultMode")
    #expect(values.list("common_items").count == 8 && values.list("modes").count == 3)
    #expect(values.text("modes[2].observers[2].activities") == "BeforeWaiting, Exit")
    #expect(values.text("modes[2].observers[2].callout.address") == "0x184a1e9b4")
    #expect(values.text("modes[2].timers[0].fires_in_ns") == "499731004")
    #expect(values.text("modes[2].timers[0].common") == "false")
    #expect(values.text("modes[0].deadline_ns") == nil)
    #expect(values.text("modes[0].purpose")?.hasPrefix("holds only the event port") == true)
    #expect(values.text("modes[2].timers[0].purpose")?.hasPrefix("a call of performSelector:") == true)
    #expect(values.text("modes[2].sources1[0].purpose") == nil)
  }

  @Test func aDifference() throws {
    let text = try topology(log, "--diff", log, "--diff-index", "2")
    #expect(text.status == 0 && text.errors.isEmpty, "\(text.errors)")
    #expect(text.output.contains("1 added, 0 removed, 0 moved, 0 changed; 10 items are alike."))
    #expect(
      text.output.contains("  timer [NotesController refresh:] (NSTimer), every 2.50 s, in kCFRunLoopDefault")
    )
    let values = try JSONValues(
      try topology(log, "--diff", log, "--diff-index", "2", "--format", "json").output)
    #expect(values.list("added").count == 1 && values.text("alike") == "10")
    #expect(values.text("added[0].interval_ns") == "2500000000")
    let none = try topology(log, "--diff", log)
    #expect(none.output.contains("No difference: 10 items are alike."))
  }

  /// One line shows the changes of an observer that has another order in the other build.
  @Test func aChange() throws {
    let text = try ProjectFiles.text("Tests/Fixtures/Dumps/notes-app.log")
    let other = try folder.file(
      "other.log",
      text.replacing("order = 2000000", with: "order = 2000001").replacing("_runLoopObserver", with: "_other")
    )
    let result = try topology(log, "--diff", other)
    #expect(result.output.contains("order 2000000 → 2000001"), "\(result.output)")
    #expect(result.output.contains("2 added, 2 removed, 0 moved, 1 changed"), "\(result.output)")
  }

  @Test func standardInput() throws {
    let result = try topology("-", input: try ProjectFiles.text("Tests/Fixtures/Dumps/notes-app.log"))
    #expect(result.status == 0 && result.output.contains(", standard input line 2\n"), "\(result.errors)")
    let twice = try topology("-", "--diff", "-")
    #expect(twice.status == 64 && twice.errorLines.count == 1, "\(twice.errors)")
  }

  @Test func textsWithoutADump() throws {
    let text = try ProjectFiles.text("Tests/Fixtures/Dumps/notes-app.log")
    let half = try folder.file("half.log", text.split(separator: "\n").prefix(40).joined(separator: "\n"))
    let cases: [(file: String, status: Int32, what: String)] = [
      (try folder.file("empty", ""), 65, ":1: the text has no dump of a run loop"),
      (
        try folder.file("foundation.log", "a\nb <RunLoop: 0x0000558174a574c0>\n"), 65,
        ":2: print(RunLoop.main) prints"
      ),
      (folder.file("none"), 66, "cannot open"),
    ]
    for (file, status, what) in cases {
      for arguments in [[file], [log, "--diff", file]] {
        let result = try Program.rltrace.run(["topology"] + arguments)
        #expect(result.status == status && result.output.isEmpty, "\(arguments)")
        #expect(result.errorLines.count == 1 && result.errors.contains(what), "\(result.errors)")
        #expect(result.errors.hasPrefix("rltrace: \(file):"), "\(result.errors)")
      }
    }
    // Half a dump is shown, but not compared.
    let shown = try topology(half)
    #expect(
      shown.status == 0
        && shown.output.contains("The text ends in line 40, inside the dump: the loop may hold more."))
    let compared = try topology(log, "--diff", half)
    #expect(
      compared.status == 65
        && compared.errors.contains(":40: the dump that begins on line 2 ends here, inside "))
    #expect(compared.errorLines.count == 1 && compared.output.isEmpty)
    let third = try topology(log, "--index", "3")
    #expect(third.status == 65 && third.errors.contains(":95: dump 2 begins here and is the last"))
  }

  /// The snapshot may be in the lost part.
  @Test func aTraceThatIsCut() throws {
    let bytes = try SampleTraces.bytes(virtual: "modes")
    let cut = folder.file("cut.rltrace")
    try Data(bytes.prefix(bytes.count / 2)).write(to: URL(fileURLWithPath: cut))
    let result = try Program.rltrace.run(["topology", cut])
    #expect(result.status == 65 && result.errorLines.count == 2, "\(result.errors)")
    #expect(result.errors.contains("cut short at byte") && result.errors.contains("no snapshot"))
  }

  @Test(arguments: [["--index", "0"], ["--index", "2000"], ["--diff-index", "2"], ["--format", "xml"]])
  func wrongUsage(arguments: [String]) throws {
    let result = try Program.rltrace.run(["topology", log] + arguments)
    #expect(result.status == 64 && result.errorLines.count == 1, "\(result.errors)")
  }
}
