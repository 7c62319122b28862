import TraceAnalysis
import TraceFormat

/// The results of rules for one test of a recorded test run.
package struct TestGate: Sendable {
  /// The name of the test; nil = the whole trace, because no test in it has an interval.
  package let test: String?
  /// Since the trace's origin.
  package let startNs: UInt64
  package let durationNs: UInt64
  /// Whether the recording ended before the test did. Such a test does not pass.
  package let isOpen: Bool
  package let gate: Gate

  package var outcome: Gate.Outcome { isOpen && gate.outcome == .pass ? .undecided : gate.outcome }

  /// Judges each test by its own part of the trace, in order of their start times. `problem`: why the trace is
  /// incomplete; nil if it is complete.
  package static func all(
    in reader: TraceReader, _ rules: [GateRule], _ options: AnalysisOptions, problem: String?
  ) throws(TraceFormatError) -> [TestGate] {
    let unitNs = reader.header.timeUnit.nanoseconds
    var tests: [TestGate] = []
    let index = try ExcerptIndex(reader)
    for interval in index.intervals(in: reader, where: { TestInterval.test($0) != nil }) {
      let part = try TraceExcerpt(reader, interval, index).trace()
      let trace = try GatedTrace(part, rules, options, problem: problem)
      tests.append(
        TestGate(
          test: TestInterval.test(interval.name), startNs: interval.from &* unitNs,
          durationNs: (interval.to &- interval.from) &* unitNs, isOpen: interval.isOpen,
          gate: Gate(rules, trace: trace, baseline: .notGiven)))
    }
    guard tests.isEmpty else { return tests }
    let trace = try GatedTrace(reader, rules, options, problem: problem)
    return [
      TestGate(
        test: nil, startNs: 0, durationNs: reader.lastTime &* unitNs, isOpen: false,
        gate: Gate(rules, trace: trace, baseline: .notGiven))
    ]
  }
}

extension Sequence<TestGate> {
  /// A broken test outweighs an undecided one.
  package var outcome: Gate.Outcome {
    contains { $0.outcome == .broken }
      ? .broken : contains { $0.outcome == .undecided } ? .undecided : .pass
  }
}
