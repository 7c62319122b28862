import Foundation
import TestSupport
import Testing
import TraceAnalysis
import TraceFormat
import TraceReplay

@testable import TextReport

/// The screens of `rltrace watch`, drawn from samples in virtual time.
@Suite struct WatchScreenTests {
  private static func analysis(_ sample: String, spanNs: UInt64, untilNs: UInt64? = nil) throws -> Analysis {
    let reader = try openTrace(path: SampleTraces.virtual(sample))
    var options = AnalysisOptions()
    options.replay.detectors = []
    let unit = reader.header.timeUnit.nanoseconds
    let now = untilNs.map { $0 / unit } ?? reader.lastTime
    options.from = now > spanNs / unit ? now - spanNs / unit : nil
    options.to = now + 1
    return try TraceAnalyzer(reader, options: options).analyze()
  }

  private static func screen(
    _ analysis: Analysis, keys: [WatchKey] = [], width: Int = 80, height: Int = 24, isColoured: Bool = false
  ) -> [String] {
    var choices = WatchChoices()
    for key in keys { _ = choices.take(key) }
    let status = WatchStatus(name: "app.rltrace", processID: 812, elapsedNs: analysis.trace.toNs)
    return WatchScreen(
      analysis, status, choices, width: width, height: height, isColoured: isColoured
    ).lines()
  }

  /// The screens that the documentation shows.
  @Test func thePageShowsTheScreens() throws {
    let stuttering = try Self.analysis("stuttering-app", spanNs: 60_000_000_000)
    let starving = try Self.analysis("timer-starvation", spanNs: 10_000_000_000, untilNs: 2_500_000_000)
    let hanging = try Self.analysis("stall-in-timer", spanNs: 10_000_000_000, untilNs: 3_500_000_000)
    var page = """
      # The screens of rltrace watch

      Tests draw these screens from [sample traces](../../SampleTraces/README.md), so they show what the command
      shows. [watch](commands/watch.md) explains the keys and the columns.

      """
    for (title, analysis, keys, width, height) in [
      ("Timers while the user scrolls", starving, [], 80, 12),
      ("Details of a timer", starving, [.enter], 80, 14),
      ("Callouts", stuttering, [.character("c")], 80, 14),
      ("A hang while it lasts", hanging, [.character("l")], 80, 12),
      ("Findings", stuttering, [.character("f")], 80, 12),
      ("A small terminal", stuttering, [.character("m")], 40, 10),
      ("Help", stuttering, [.character("?")], 80, 20),
    ] as [(String, Analysis, [WatchKey], Int, Int)] {
      let lines = Self.screen(analysis, keys: keys, width: width, height: height)
      page += "\n## \(title)\n\n" + lines.map { $0.isEmpty ? "" : "    \($0)" }.joined(separator: "\n") + "\n"
    }
    try GeneratedFile.expect("docs/reference/watch-screens.md", is: page)
  }

  /// For every trace and size, a screen has exactly the requested size and no control characters.
  @Test func screensKeepTheirSize() throws {
    for sample in SampleTraces.analyzable {
      let reader = try openTrace(path: SampleTraces.path(sample))
      let analysis = try TraceAnalyzer(reader).analyze()
      for (width, height) in [(80, 24), (40, 10), (20, 5), (1, 1), (200, 60)] {
        for view in WatchView.allCases {
          let lines = Self.screen(
            analysis, keys: [.character(view.rawValue), .down, .enter], width: width, height: height)
          #expect(lines.count == height, "\(sample) \(view) \(width)")
          for line in lines {
            #expect(line.count <= width, "\(sample) \(view): \(line)")
            #expect(!line.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }, "\(sample)")
          }
        }
      }
    }
  }

  @Test func keysChangeTheScreen() throws {
    let analysis = try Self.analysis("stuttering-app", spanNs: 60_000_000_000)
    let plain = Self.screen(analysis)
    let table = plain.firstIndex { $0.contains("TIMER") } ?? 0
    #expect(Self.screen(analysis, keys: [.character("c")]) != plain)
    // The filter keeps only rows with the text.
    let names = analysis.timers.map(\.name)
    let wanted = try #require(names.first)
    let filtered = Self.screen(
      analysis, keys: [.character("/")] + wanted.map { .character($0) } + [.enter])
    #expect(filtered[table + 1].contains(wanted.prefix(12)))
    let none = Self.screen(
      analysis, keys: [.character("/")] + "no such text".map { .character($0) } + [.enter])
    #expect(none.contains { $0.contains("no row contains") })
    #expect(
      Self.screen(
        analysis, keys: [.character("/")] + "no such text".map { .character($0) } + [.enter, .escape])
        == plain)
    // Pressing `<` repeatedly selects the first column, which has the names.
    let byName = Self.screen(analysis, keys: Array(repeating: .character("<"), count: 9))
    let rows = byName[(table + 1)...].prefix(10).map { String($0.dropFirst(2).prefix(8)) }
    #expect(rows == rows.sorted())
    // Another column changes the order.
    let byFired = Self.screen(
      analysis, keys: Array(repeating: .left, count: 9) + Array(repeating: .right, count: 3))
    #expect(byFired != byName)
  }

  @Test func actions() {
    var choices = WatchChoices()
    #expect(choices.take(.character("w")) == .snapshot)
    #expect(choices.take(.character(" ")) == .none && choices.isPaused)
    #expect(choices.take(.character("3")) == .none && choices.spanNs == 60_000_000_000)
    #expect(choices.take(.character("/")) == .none)
    // Letters now go to the filter.
    #expect(choices.take(.character("q")) == .none)
    #expect(choices.take(.escape) == .none)
    #expect(choices.take(.character("q")) == .quit)
  }

  @Test func coloursOnlyOnRequest() throws {
    let analysis = try Self.analysis("stall-in-timer", spanNs: 10_000_000_000)
    #expect(!Self.screen(analysis).contains { $0.contains("\u{1B}") })
    #expect(Self.screen(analysis, isColoured: true).contains { $0.contains("\u{1B}[") })
  }

  @Test(
    arguments: [
      ("q", [.character("q")]), ("\u{1B}[A\u{1B}[B", [.up, .down]), ("\u{1B}OC", [.right]), ("\r", [.enter]),
      ("\u{7F}", [.backspace]), ("é", [.character("é")]), ("\u{1B}[1;5Dx", [.left, .character("x")]),
      ("\u{1}\u{2}", []), ("\u{1B}[15~", []),
    ] as [(String, [WatchKey])])
  func keys(typed: String, expected: [WatchKey]) {
    var input = Array(typed.utf8)
    #expect(WatchKey.parse(&input, isOver: false) == expected && input.isEmpty)
  }

  /// A sequence may arrive in pieces. A lone escape is a key once nothing follows.
  @Test func keysInPieces() {
    var input = Array("\u{1B}".utf8)
    #expect(WatchKey.parse(&input, isOver: false) == [])
    input += Array("[A".utf8)
    #expect(WatchKey.parse(&input, isOver: false) == [.up])
    input = [0x1B]
    #expect(WatchKey.parse(&input, isOver: true) == [.escape] && input.isEmpty)
    input = [0xC3]
    #expect(WatchKey.parse(&input, isOver: false) == [])
    input.append(0xA9)
    #expect(WatchKey.parse(&input, isOver: false) == [.character("é")])
    // No sequence of bytes stops the parser.
    for seed in 0..<200 {
      var generator = SeededGenerator(seed: UInt64(seed))
      var bytes = (0..<40).map { _ in UInt8.random(in: 0...255, using: &generator) }
      _ = WatchKey.parse(&bytes, isOver: true)
      #expect(bytes.isEmpty, "seed \(seed)")
    }
  }

  @Test func linesForAPipe() throws {
    let hanging = try Self.analysis("stall-in-timer", spanNs: 10_000_000_000, untilNs: 3_500_000_000)
    let status = WatchStatus(name: "app.rltrace", processID: 812, elapsedNs: hanging.trace.toNs)
    let lines = WatchLine.lines(hanging, status)
    #expect(lines.count >= 1 && lines.allSatisfy { !$0.contains("\n") })
    #expect(lines[0].contains("main") && lines[0].contains("(hang)"), "\(lines)")
  }

  /// The hitch ratio of a declared frame source is on the screen, and in the lines for a pipe.
  @Test func hitches() throws {
    let analysis = try HandTrace(main: HandTrace.frames(5, took: [2: 15_000])).analysis()
    #expect(Self.screen(analysis).contains("frames of tick: hitches 200 ms/s, bad, in the last 60.0 ms"))
    let status = WatchStatus(name: "app", processID: 1, elapsedNs: 0)
    #expect(WatchLine.lines(analysis, status).contains { $0.contains("hitches 200 ms/s, bad") })
    let other = try HandTrace(main: HandTrace.frames(5, isDeclared: false)).analysis()
    #expect(!Self.screen(other).contains { $0.contains("hitch") })
    #expect(!WatchLine.lines(other, status).contains { $0.contains("hitch") })
  }
}
