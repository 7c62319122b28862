import Testing

@testable import what_if_check

/// Predictions in virtual time, compared with scenarios that have the change. `what-if-check --seed N --show` repeats a
/// seed.
@Suite struct VirtualPredictionTests {
  private static let seeds: Range<UInt64> = 1..<401

  @Test func exactPredictionsAreEqual() {
    let check = WhatIfCheck()
    var equal = 0
    for seed in Self.seeds {
      switch check.outcome(seed: seed) {
      case .equal: equal += 1
      case .wrong(let what): Issue.record("seed \(seed): \(what)")
      case .doubtful, .refused, .skipped: break
      }
    }
    // Otherwise the test would compare nothing.
    #expect(equal > Self.seeds.count / 4)
  }

  @Test func withoutAChangeTheRecordingIsRepeated() {
    let check = WhatIfCheck()
    var equal = 0
    for seed in Self.seeds {
      switch check.fidelity(seed: seed) {
      case .equal: equal += 1
      case .wrong(let what): Issue.record("seed \(seed): \(what)")
      case .doubtful, .refused, .skipped: break
      }
    }
    #expect(equal > Self.seeds.count * 9 / 10)
  }
}
