import TestSupport
import Testing
import TraceAnalysis
import TraceReplay
import TraceFormat

/// Marks and intervals of the program. Times of the traces are microseconds.
@Suite struct MarkTests {
  private func intervals(_ analysis: Analysis) -> [String] {
    analysis.marks.intervals.map { interval in
      "\(interval.name) \(interval.startNs / 1000)+\(interval.durationNs / 1000)"
        + (interval.suspendedNs > 0 ? " suspended \(interval.suspendedNs / 1000)" : "")
        + " thread \(interval.thread)" + (interval.endThread.map { " to \($0)" } ?? " open")
        + (interval.isCut ? " cut" : "")
    }
  }

  private func window(_ from: UInt64, _ to: UInt64) -> AnalysisOptions {
    var options = AnalysisOptions()
    options.from = from
    options.to = to
    return options
  }

  @Test func marksInOrder() throws {
    let trace = HandTrace(main: "10 mark name=4\n30 mark name=4", worker: "20 mark name=6\n40 mark")
    let analysis = try trace.analysis()
    #expect(
      analysis.marks.marks.map { "\($0.name) \($0.timeNs) \($0.thread)" }
        == ["parse 10000 0", "draw 20000 1", "parse 30000 0", "mark 40000 1"])
    #expect(try trace.analysis(window(20, 40)).marks.marks.map(\.name) == ["draw", "parse"])
    #expect(analysis.marks.marksOmitted == 0)
  }

  /// Intervals that are nested, overlap others with the same name, end on another thread, or never end.
  @Test func allShapes() throws {
    let trace = HandTrace(
      main: """
        0 interval.begin #10 name=4
        100 interval.begin #11 name=6
        150 interval.begin #12 name=4
        200 interval.end #11
        300 interval.end #10
        900 mark name=9
        """, worker: "50 interval.begin #13 name=7\n400 interval.end #12")
    let analysis = try trace.analysis()
    #expect(
      intervals(analysis) == [
        "parse 0+300 thread 0 to 0", "read 50+850 thread 1 open", "draw 100+100 thread 0 to 0",
        "parse 150+250 thread 0 to 1",
      ])
    #expect(
      analysis.marks.byName.map { "\($0.name) \($0.durationNs.count) \($0.durationNs.sum) \($0.open)" }
        == ["parse 2 550000 0", "draw 1 100000 0", "read 0 0 1"])
    #expect(analysis.marks.byName[0].durationNs.max == 300_000)
    #expect(analysis.notes.filter { $0.text.contains("interval") }.isEmpty)
  }

  /// An interval that crosses the edge of a window is shown with the part inside, and counts in no distribution.
  @Test func windows() throws {
    let trace = HandTrace(
      main: """
        0 interval.begin #10 name=4
        100 interval.begin #11 name=6
        200 interval.end #11
        300 interval.end #10
        900 mark name=9
        """)
    let middle = try trace.analysis(window(150, 250))
    #expect(
      intervals(middle) == ["parse 150+100 thread 0 open cut", "draw 150+50 thread 0 to 0 cut"])
    #expect(middle.marks.byName.allSatisfy { $0.durationNs.count == 0 })
    let whole = try trace.analysis(window(0, 1000))
    #expect(intervals(whole) == ["parse 0+300 thread 0 to 0", "draw 100+100 thread 0 to 0"])
    #expect(intervals(try trace.analysis(window(400, 800))) == [])
  }

  /// Ends without a begin, an ID that begins again, an object without a number.
  @Test func marksThatDoNotMatch() throws {
    let trace = HandTrace(
      main: """
        10 interval.end #10
        20 interval.begin #11 name=4
        30 interval.begin #11 name=6
        40 interval.end #11
        50 interval.begin name=7
        60 interval.end
        """)
    let analysis = try trace.analysis()
    #expect(intervals(analysis) == ["draw 30+10 thread 0 to 0"])
    #expect(analysis.notes.contains { $0.text.hasPrefix("2 starts or ends of intervals") })
    #expect(analysis.notes.contains { $0.text.hasPrefix("1 interval was left out") })
  }

  /// At equal times, the thread with the lower index comes first, even when it ends an interval that the other one
  /// began.
  @Test func endAtTheStampOfItsBegin() throws {
    let analysis = try HandTrace(
      main: "50 interval.end #10\n90 mark name=9", worker: "50 interval.begin #10 name=4"
    ).analysis()
    #expect(intervals(analysis) == ["parse 50+0 thread 1 to 0"])
    #expect(analysis.notes.filter { $0.text.contains("interval") }.isEmpty)
  }

  @Test func limits() throws {
    var lines: [String] = []
    for number in 0..<3000 {
      lines.append("\(10 * number) interval.begin #\(100 + number) name=4")
      lines.append("\(10 * number + 1 + number % 7) interval.end #\(100 + number)")
      for _ in 0..<4 { lines.append("\(10 * number + 9) mark name=9") }
    }
    let analysis = try HandTrace(main: lines.joined(separator: "\n")).analysis()
    #expect(analysis.marks.intervals.count == AnalysisLimits.listed)
    #expect(analysis.marks.intervalsOmitted == 3000 - AnalysisLimits.listed)
    #expect(analysis.marks.byName.first?.durationNs.count == 3000)
    // The longest intervals are kept.
    #expect((analysis.marks.intervals.map(\.durationNs).min() ?? 0) >= 5000)
    #expect(analysis.marks.marks.count == AnalysisLimits.markRows)
    #expect(analysis.marks.marksOmitted == 12_000 - AnalysisLimits.markRows)
    #expect(analysis.notes.contains { $0.text.contains("marks after the first") })
  }

  /// With more names than rows, the remaining names share a row.
  @Test func manyNames() throws {
    let count = AnalysisLimits.intervalNames + 20
    var text = [
      "rltrace-text 1", "header minor=2 unit=1us codec=none capture=callouts clock=virtual high=no",
    ]
    text.append("strings")
    text += (1...count).map { "  \($0) \"name \($0)\"" }
    text.append("events thread=0")
    for number in 1...count {
      text.append("  \(10 * number) interval.begin #\(number) name=\(number)")
      text.append("  \(10 * number + 2) interval.end #\(number)")
    }
    text.append("end")
    let analysis = try TraceAnalyzer(openTrace(assembleTrace(text.joined(separator: "\n")))).analyze()
    #expect(analysis.marks.byName.count == AnalysisLimits.intervalNames + 1)
    let other = try #require(analysis.marks.byName.first { $0.name == "(other)" })
    #expect(other.durationNs.count == 20)
    #expect(analysis.notes.contains { $0.text.contains("names of intervals") })
  }

  /// The suspended time of an interval is shown next to its length.
  @Test func suspension() throws {
    let trace = HandTrace(
      main: """
        0 interval.begin #10 name=4
        1000 mark name=9
        5001000 mark name=9
        5002000 interval.end #10
        """, recorder: "1500 process.stop signal=19\n5000500 process.continue signal=18")
    let interval = try #require(try trace.analysis().marks.intervals.first)
    #expect(interval.suspendedNs > 4_900_000_000 && interval.durationNs < 10_000_000)
    #expect(interval.durationNs + interval.suspendedNs == 5_002_000_000)
  }

  @Test func filterByThread() throws {
    let trace = HandTrace(
      main: "0 interval.begin #10 name=4\n5 interval.end #10\n6 mark name=9",
      worker: "1 interval.begin #11 name=6\n7 mark name=8\n9 interval.end #11")
    let filtered = AnalysisFilter(thread: 1).apply(to: try trace.analysis())
    #expect(filtered.marks.intervals.map(\.name) == ["draw"])
    #expect(filtered.marks.marks.map(\.name) == ["save"])
  }
}
