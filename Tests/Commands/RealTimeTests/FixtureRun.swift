import Foundation
import TestSupport
import Testing

/// One run of the sequence fixture, read through `rltrace dump`.
struct FixtureRun {
  /// The lines of each case, from its mark to `end`.
  private(set) var cases: [String: ArraySlice<Substring>] = [:]
  private var strings: [Substring: Substring] = [:]

  init(_ which: String) throws {
    let folder = try TemporaryFolder()
    let trace = folder.file("fixture.rltrace")
    let recorded = try Program("sequence-fixture").run([which, trace])
    try #require(recorded.status == 0, "\(recorded.errors)")
    let dumped = try Program.rltrace.run(["dump", trace])
    try #require(dumped.status == 0, "\(dumped.errors)")
    let lines = dumped.output.split(separator: "\n")[...]
    var section: Substring = ""
    for line in lines {
      if line.first != " " { section = line }
      guard section == "strings" else { continue }
      let words = line.split(separator: " ", maxSplits: 1)
      if words.count == 2, Int(words[0]) != nil, words[1].hasPrefix("\"") { strings[words[0]] = words[1] }
    }
    var start: (name: String, index: Int)?
    for (index, line) in zip(lines.indices, lines) {
      guard let mark = mark(line) else { continue }
      if mark.hasPrefix("case ") {
        start = (String(mark.dropFirst(5)), index)
      } else if mark == "end", let begun = start {
        cases[begun.name] = lines[begun.index..<index]
        start = nil
      }
    }
  }

  /// Returns the name of the mark on a line of the dump; nil for other lines.
  private func mark(_ line: Substring) -> String? {
    let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
    guard words.count > 2, words[1] == "mark", let field = words.first(where: { $0.hasPrefix("name=") })
    else { return nil }
    return strings[field.dropFirst(5)].map { String($0.dropFirst().dropLast()) }
  }

  func isMark(_ line: Substring, _ name: String) -> Bool { mark(line) == name }

  private static let short: [Substring: String] = [
    "Entry.low": "En", "BeforeTimers.low": "BT", "BeforeSources.low": "BS", "BeforeWaiting.low": "BW",
    "AfterWaiting.low": "AW", "Exit.low": "Ex", "timer.begin": "TIMER", "source0.begin": "SRC",
    "source1.begin": "SRC1", "block.begin": "BLK", "mainQueueBlock.begin": "MQ",
  ]
  private static let results: [Substring: String] = [
    "result=1": "⇒ Finished", "result=2": "⇒ Stopped", "result=3": "⇒ TimedOut",
    "result=4": "⇒ HandledSource",
  ]

  /// Returns a case in short form.
  func sequence(_ name: String) -> String? {
    cases[name].map { lines in
      lines.compactMap { line in
        let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
        guard words.count > 1 else { return nil }
        if words[1] == "run.end" { return words.compactMap { FixtureRun.results[$0] }.first }
        return FixtureRun.short[words[1]]
      }.joined(separator: " ")
    }
  }

  /// Returns the due points of a case's timer, in milliseconds after the first. Due points are exact, so their grid
  /// is exact.
  func duePointsMs(_ name: String) throws -> [Int] {
    let due = try #require(cases[name]).compactMap { line -> Int? in
      guard line.contains(" timer.due ") else { return nil }
      return line.split(whereSeparator: { $0 == " " || $0 == "\t" }).first { $0.hasPrefix("due=") }.flatMap {
        Int($0.dropFirst(4))
      }
    }
    // Units of 10 ns, rounded to milliseconds.
    return due.map { Int((Double($0 - due[0]) / 100_000).rounded()) }
  }
}
