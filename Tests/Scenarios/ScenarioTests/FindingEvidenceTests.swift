import Foundation
import Scenario
import ScenarioRunners
import TestSupport
import Testing
import TraceAnalysis
import TraceReplay
import TraceFormat

/// The sentences of the findings must follow from the numbers next to them, and the verdict is the first finding.
@Suite struct FindingEvidenceTests {
  @Test(arguments: SampleTraces.analyzable) func sentencesOfSamplesHaveEvidence(sample: String) throws {
    let bytes = try ProjectFiles.bytes("SampleTraces/\(sample)")
    for profile in [nil] + Profile.named.map(Optional.some) {
      var options = AnalysisOptions()
      options.profile = profile
      if let profile { options.replay.gapThresholdNs = profile.listedFromNs }
      let analysis = try TraceAnalyzer(openTrace(bytes), options: options).analyze()
      #expect(findingFaults(analysis) == [], "\(profile?.name ?? "no profile")")
    }
  }

  /// RLTRACE_TEST_ROUNDS=20000 runs more rounds.
  @Test(.optimizedBuild) func sentencesOfRandomTracesHaveEvidence() throws {
    var random = SeededGenerator(named: "findings of model traces")
    var rules: Set<RuleID> = []
    for number in 0..<TestRounds.value(2000) {
      let seed = random.next() % 1_000_000_007
      let sink = MemorySink()
      _ = try VirtualRecording.record(
        RandomScenario(seed: seed).scenario, sink: sink, unit: number % 2 == 0 ? .ns10 : .us1,
        codec: NoCodec(), stepLimit: 3000)
      var options = AnalysisOptions()
      // The traces are short, so a third of them gets a lower limit.
      if number % 3 == 0 {
        options.profile = Profile(name: "strict", limitNs: 20_000_000, isWatchdog: true)
        options.replay.gapThresholdNs = 1_000_000
      }
      let analysis = try TraceAnalyzer(openTrace(sink.bytes), options: options).analyze()
      let faults = findingFaults(analysis)
      guard faults.isEmpty else {
        Issue.record("scenario \(seed): \(faults.joined(separator: "\n")), \(TestSeed.note)")
        return
      }
      rules.formUnion(analysis.findings.map(\.rule))
    }
    // The random traces must cause enough findings.
    #expect(rules.count >= 6, "\(rules)")
  }
}
