import TestSupport
import Testing
import TraceAnalysis
import TraceFormat
import TraceGate

/// Rules about queues other than the main queue.
@Suite struct QueueRuleTests {
  /// Two blocks of the queue db, and one of the queue log. The second block waits for the first.
  private static let main = """
    10 work.create #10 name=5 kind=0 queue=2
    20 work.create #11 name=6 kind=0 queue=2
    30 work.create #12 name=7 kind=0 queue=3
    9000000 mark name=9
    """
  private static let worker = """
    110 work.begin #10 queue=2
    1110 work.end #10 why=0
    1120 work.begin #11 queue=2
    1320 work.end #11 why=0
    1330 work.begin #12 queue=3
    1340 work.end #12 why=0
    """

  private func result(_ rule: String, _ threads: [String]) throws -> Gate.RuleResult {
    let rule = try RuleParser.parse(rule)
    let trace = try GatedTrace(
      openTrace(assembleTrace(QueueTrace(threads: threads).text)), [rule], AnalysisOptions())
    return try #require(Gate([rule], trace: trace, baseline: .notGiven).results.first)
  }

  @Test(
    arguments: [
      ("max(wait, queue=db) == 1100us", Gate.Outcome.pass), ("max(wait, queue=db) < 1ms", .broken),
      ("min(wait, queue=db) == 100us", .pass), ("count(wait, queue=db) == 2", .pass),
      ("count(wait) == 3", .pass), ("max(run, queue=db) == 1ms", .pass), ("sum(run) == 1210us", .pass),
      ("p99(run, queue=log) < 20us", .pass), ("count(call, queue=db) == 0", .pass),
      ("depth(queue=db) == 2", .pass), ("depth(queue=log) == 1", .pass), ("depth == 2", .pass),
      ("depth < 2", .broken), ("findings(rule=RL037) == 0", .pass),
    ] as [(String, Gate.Outcome)])
  func values(rule: String, outcome: Gate.Outcome) throws {
    let result = try result(rule, [Self.main, Self.worker])
    #expect(result.outcome == outcome, "\(rule): \(String(describing: result.measured)) \(result.why)")
  }

  /// A queue that the recording does not have never passes.
  @Test(arguments: [
    ("max(wait, queue=dbs) < 1h", "no work of queue \"dbs\"; did you mean 'db'?"),
    ("count(run, queue=Store) == 0", "no work of queue \"Store\""),
    ("depth(queue=pool) == 0", "no work of queue \"pool\""),
    ("max(call, queue=db) < 1s", "no waits of threads to measure"),
  ])
  func queuesThatAreNotThere(rule: String, why: String) throws {
    let result = try result(rule, [Self.main, Self.worker])
    #expect(result.outcome == .undecided && result.why.contains(why), "\(rule): \(result.why)")
  }

  @Test(arguments: [
    "max(wait) < 1h", "count(run) == 0", "depth == 0", "count(call, queue=db) == 0",
    "findings(rule=RL037) == 0",
    "findings(rule=RL040) == 0",
  ])
  func recordingsWithoutQueues(rule: String) throws {
    let parsed = try RuleParser.parse(rule)
    let bytes = try SampleTraces.bytes(virtual: "starvation-common")
    let trace = try GatedTrace(openTrace(bytes), [parsed], AnalysisOptions())
    let result = try #require(Gate([parsed], trace: trace, baseline: .notGiven).results.first)
    #expect(result.outcome == .undecided, "\(rule)")
    #expect(result.why.contains("no work of queues other than the main queue"), "\(result.why)")
  }

  /// Unfinished waits, slices and calls count with their length so far.
  @Test func whatHadNotEnded() throws {
    let main = """
      10 work.create #10 name=5 kind=0 queue=2
      20 work.begin #10 queue=2
      30 work.create #11 name=6 kind=0 queue=2
      2000030 mark name=9
      """
    let waiting = "100030 queueWait.begin #2 holder=100"
    for (rule, outcome) in [
      ("max(wait, queue=db) == 2s", Gate.Outcome.pass), ("p99(wait, queue=db) < 20ms", .broken),
      ("max(run, queue=db) < 1s", .broken), ("max(call, queue=db) == 1900ms", .pass),
    ] as [(String, Gate.Outcome)] {
      let result = try result(rule, [main, waiting])
      #expect(result.outcome == outcome, "\(rule): \(String(describing: result.measured)) \(result.why)")
    }
  }

  /// The waits of handlers, and those of operations in their OperationQueue, are not known. The others are a lower bound.
  @Test(
    arguments: [
      ("max(wait, queue=db) < 2ms", .undecided), ("max(wait, queue=db) < 1ms", .broken),
      ("p99(wait, queue=db) < 2ms", .undecided), ("min(wait, queue=db) < 1ms", .undecided),
      ("count(wait, queue=db) >= 2", .pass), ("count(wait, queue=db) == 2", .undecided),
      ("max(wait) < 2ms", .undecided), ("max(wait, queue=log) < 2ms", .pass),
      ("max(run, queue=db) == 1ms", .pass),
    ] as [(String, Gate.Outcome)])
  func waitsThatAreNotKnown(rule: String, outcome: Gate.Outcome) throws {
    let handler = "1400 work.create #13 name=7 kind=3 queue=2\n1400 work.begin #13 queue=2\n1410 work.end #13"
    let ofHandler = try result(rule, [Self.main, Self.worker + "\n" + handler])
    #expect(
      ofHandler.outcome == outcome, "\(rule): \(String(describing: ofHandler.measured)) \(ofHandler.why)")
    let operation = Self.main.replacing("name=6 kind=0", with: "name=6 kind=4")
    let ofOperation = try result(rule, [operation, Self.worker])
    #expect(ofOperation.outcome == outcome, "\(rule): \(ofOperation.why)")
    guard outcome == .undecided else { return }
    #expect(ofHandler.why.contains("queue \"db\" ran handlers") && ofOperation.why.contains("ran operations"))
  }

  @Test func theEvidenceNamesTheQueue() throws {
    let rule = try RuleParser.parse("max(wait, queue=db) < 1ms")
    let text = QueueTrace(threads: [Self.main, Self.worker]).text
    let trace = try GatedTrace(openTrace(assembleTrace(text)), [rule], AnalysisOptions())
    #expect(
      RuleEvidence(trace, rule).text == "the longest slice of queue \"db\" was one of \"work a\", 1.00 ms")
  }
}
