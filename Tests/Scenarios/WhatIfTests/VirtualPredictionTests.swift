import Testing

@testable import what_if_check

/// Predictions in virtual time, compared with scenarios that have the change. `what-if-check --seed N --show` repeats a
/// seed.
@Suite struct VirtualPredictionTests {
  private static let seeds: Range<UInt64> = 1..<401

  @Test func exactPredictionsAreEqual() {
    // With fewer equal predictions, this test would compare too little.
    #expect(equal { $0.outcome(seed: $1) } > Self.seeds.count / 4)
  }

  @Test func withoutAChangeTheRecordingIsRepeated() {
    #expect(equal { $0.fidelity(seed: $1) } > Self.seeds.count * 17 / 20)
  }

  /// In the first, a mode's descriptors become ready before the program is known to have made it. In the others, some
  /// arrivals at one moment come together, and some one after another.
  @Test(arguments: [425_359, 425_482, 99_000_994, 99_012_292] as [UInt64]) func unknownOrdersAreDoubted(
    seed: UInt64
  ) {
    guard case .doubtful = WhatIfCheck().outcome(seed: seed) else {
      Issue.record("the prediction is declared exact")
      return
    }
  }

  /// Returns the number of seeds whose prediction is equal, and records those that are wrong.
  private func equal(_ outcome: (WhatIfCheck, UInt64) -> WhatIfCheck.Outcome) -> Int {
    let check = WhatIfCheck()
    return Self.seeds.count { seed in
      switch outcome(check, seed) {
      case .equal: return true
      case .wrong(let what): Issue.record("seed \(seed): \(what)")
      case .doubtful, .refused, .skipped: break
      }
      return false
    }
  }
}
