import Foundation
import TestSupport
import Testing
import TraceFormat

/// `--strict`, `validate`, and the messages about a damaged trace.
@Suite struct StrictTests {
  private let folder: TemporaryFolder
  private let whole: String
  private let damaged: String
  private let cut: String

  init() throws {
    folder = try TemporaryFolder()
    let bytes = try SampleTraces.bytes(virtual: "modes")
    whole = folder.file("whole.rltrace")
    cut = folder.file("cut.rltrace")
    damaged = folder.file("damaged.rltrace")
    var spoilt = bytes
    let block = try #require(try openTrace(bytes).blocks.first { $0.type == .events })
    spoilt[Int(block.offset) + 60] ^= 1
    for (file, bytes) in [(whole, bytes), (cut, Array(bytes.dropLast(bytes.count / 3))), (damaged, spoilt)] {
      try Data(bytes).write(to: URL(fileURLWithPath: file))
    }
  }

  /// All commands that read traces, with their outputs.
  static let readers: [[String]] = [
    ["analyze"], ["analyze", "--format", "json"], ["report", "-o", "page.html"], ["export", "-o", "tables"],
    ["info"], ["dump"], ["redact", "-o", "copy.rltrace"], ["symbolicate", "-o", "copy.rltrace"], ["gate"],
    ["compare", "whole.rltrace"], ["topology"], ["summarize"], ["open"], ["what-if", "--rank"],
  ]

  @Test(arguments: readers) func incompleteTracesAreRefused(command: [String]) throws {
    let before = folder.names
    for file in [cut, damaged] {
      let result = try Program.rltrace.run(command + [file, "--strict"], folder: folder.path)
      #expect(result.status == 65, "\(command): \(result.errors)")
      #expect(result.output.isEmpty && result.errorLines.count == 1, "\(command): \(result.errors)")
      #expect(result.errors.contains("refused by --strict"), "\(command): \(result.errors)")
      #expect(folder.names == before, "\(command)")
    }
  }

  @Test(arguments: readers.filter { $0 != ["topology"] })
  func completeTracesAreRead(command: [String]) throws {
    let result = try Program.rltrace.run(command + [whole, "--strict"], folder: folder.path)
    // The trace may break the gate's built-in budget.
    #expect(result.status == 0 || command == ["gate"] && result.status == 1, "\(command): \(result.errors)")
  }

  /// The line that reports a loss contains its size.
  @Test func theLossIsReported() throws {
    let result = try Program.rltrace.run(["analyze", damaged])
    #expect(result.status == 65 && result.errorLines.count == 1)
    let events = try #require(try openTrace(path: whole).blocks.first { $0.type == .events }?.count)
    #expect(result.errors.contains("in 1 place were not used, \(events) events lost"), "\(result.errors)")
    // Joins the lines of the text.
    let text = result.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(text.contains("\(events) events lost on thread 0, between"), "\(result.output)")
    let info = try Program.rltrace.run(["info", cut])
    #expect(info.output.contains("an unknown number of events lost, after"), "\(info.output)")
  }

  @Test func validateReportsTheProblem() throws {
    for (file, status, words) in [
      (whole, 0, "whole.rltrace: sound: 742 events in"), (cut, 2, "cut-short: 1 problem"),
      (damaged, 65, "damaged: 1 problem"),
    ] {
      let result = try Program.rltrace.run(["validate", file])
      #expect(result.status == status, "\(file): \(result.output)")
      #expect(result.output.contains(words), "\(result.output)")
    }
    let text = HandTrace(main: "0 Entry.low m1 #1\n5 timer.end m1 #2").text()
    let illegal = folder.file("illegal.rltrace")
    try #require(try Program.rltrace.run(["assemble", "-", "-o", illegal], input: text).status == 0)
    let result = try Program.rltrace.run(["validate", illegal])
    #expect(result.status == 1)
    #expect(
      result.output.hasPrefix(
        "\(illegal): illegal: block 4, byte ")
        && result.output.contains(", 0.000005 s, thread 0: timer.end #2 without"),
      "\(result.output)")
    let all = try Program.rltrace.run(["validate", whole, cut, illegal, damaged, "--limit", "0"])
    #expect(all.status == 65 && all.output.contains("1 further problem is not listed"), "\(all.output)")
    #expect(try Program.rltrace.run(["validate", folder.file("none")]).status == 66)
  }
}
