import TestSupport
import Testing
import TraceAnalysis
import TraceFacts

/// Begins and ends of facts nest, even where events were lost or the span begins inside a run.
@Suite struct NestedSpanTests {
  /// The begins and ends of one sink as text, such as `(run (pass callout) )`.
  private final class Brackets: FactSink {
    let wantsBegins = true
    var threads: [UInt32: NestedSpans<UInt64>] = [:]
    var problems: [String] = []
    /// The numbers of spans that were closed by their own end, and by the end of a span around them.
    var closed = 0
    var closedFromOutside = 0

    func begin(_ span: SpanBegin) {
      let open = threads[span.thread, default: NestedSpans()]
      if open.count > 0, open[open.count - 1] > span.start {
        problems.append("\(span) begins before its parent")
      }
      threads[span.thread, default: NestedSpans()].begin(span.what, span.start)
    }

    private func close(
      _ thread: UInt32, at end: UInt64, _ sides: (inout NestedSpans<UInt64>, (UInt64, Bool) -> Void) -> Void
    ) {
      sides(&threads[thread, default: NestedSpans()]) { start, isIts in
        if end < start { problems.append("a span from \(start) ends at \(end)") }
        if isIts { closed += 1 } else { closedFromOutside += 1 }
      }
    }

    func pass(_ pass: PassFact) { close(pass.thread, at: pass.end) { $0.endPass($1) } }
    func wait(_ wait: WaitEnd) { close(wait.thread, at: wait.end) { $0.endWait($1) } }
    func run(_ run: RunFact) { close(run.thread, at: run.end) { $0.end(run, $1) } }
    func callout(_ callout: CalloutFact) { close(callout.thread, at: callout.end) { $0.end(callout, $1) } }

    var open: Int { threads.values.reduce(0) { $0 + $1.count } }
  }

  private func brackets(_ bytes: [UInt8], from: UInt64? = nil, to: UInt64? = nil) throws -> (
    Brackets, Analysis
  ) {
    let brackets = Brackets()
    var options = AnalysisOptions()
    (options.from, options.to) = (from, to)
    options.sink = brackets
    return (brackets, try TraceAnalyzer(try openTrace(bytes), options: options).analyze())
  }

  @Test(arguments: SampleTraces.analyzable) func samplesNest(name: String) throws {
    let (found, analysis) = try brackets(try ProjectFiles.bytes("SampleTraces/\(name)"))
    #expect(found.problems.isEmpty, "\(found.problems.prefix(3))")
    #expect(found.open == 0)
    let runs = analysis.loops.reduce(0) { $0 + $1.runs }
    let callouts = analysis.callouts.reduce(0) { $0 + $1.count }
    let passes = analysis.modes.reduce(0) { $0 + $1.passes }
    #expect(UInt64(found.closed) >= runs + callouts + passes)
  }

  @Test func partsOfRandomTracesNest() throws {
    var random = SeededGenerator(named: "nested spans")
    for round in 0..<TestRounds.value(100) {
      let loop = SimulatedLoop(
        SeededGenerator(seed: random.next()), budget: 400, hasHigh: round.isMultiple(of: 2))
      let from = random.oneIn(2) ? random.next() % (loop.end + 1) : 0
      let (found, _) = try brackets(try loop.trace(codec: .none), from: from)
      #expect(found.problems.isEmpty, "\(found.problems.prefix(3)) \(TestSeed.note)")
      #expect(found.open == 0, "\(TestSeed.note)")
    }
  }

  /// At equal times, the outer span begins first and ends last.
  @Test func spansOfNoLengthNest() throws {
    let main = """
      5 Entry.low m1 #1
      5 BeforeTimers.low m1 #1
      5 source0.begin m1 #3
      5 source0.end m1 #3
      5 BeforeWaiting.low m1 #1
      5 AfterWaiting.low m1 #1
      5 BeforeTimers.low m1 #1
      5 Exit.low m1 #1
      """
    let collector = FactCollector(wantsBegins: true)
    var options = AnalysisOptions()
    options.sink = collector
    _ = try HandTrace(main: main).analysis(options)
    let order = collector.facts.compactMap { fact -> String? in
      switch fact {
      case .begin(let span):
        switch span.what {
        case .run: "run"
        case .pass: "pass"
        case .wait: "wait"
        case .callout: "callout"
        }
      case .run: "/run"
      case .pass: "/pass"
      case .wait: "/wait"
      case .callout: "/callout"
      default: nil
      }
    }
    #expect(
      order.joined(separator: " ")
        == "run pass callout /callout wait /wait /pass pass /pass /run")
  }

  /// The Exit of a nested run is lost: the callout around the run ends both.
  @Test func lostEndsAreClosedByTheSpanAround() throws {
    let main = """
      0 Entry.low m1 #1
      10 BeforeTimers.low m1 #1
      100 source0.begin m1 #3
      200 Entry.low m2 #1
      300 BeforeTimers.low m2 #1
      350 block.begin m2 #4
      600 source0.end m1 #3
      800 BeforeTimers.low m1 #1
      900 Exit.low m1 #1
      """
    let (found, _) = try brackets(try assembleTrace(HandTrace(main: main).text()))
    #expect(found.problems.isEmpty)
    #expect(found.open == 0)
    #expect(found.closedFromOutside == 2)
  }
}
