import Foundation

/// A random number generator that repeats its sequence for the same seed (SplitMix64).
package struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  /// Creates the generator of one test. Its numbers depend on the run's seed and on `name`, not on the order of
  /// tests.
  package init(named name: String) {
    var state = TestSeed.value
    for byte in name.utf8 { state = (state ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    self.init(seed: state)
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z &>> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z &>> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z &>> 31)
  }

  /// Returns true once in `n` calls on average.
  package mutating func oneIn(_ n: UInt64) -> Bool { next() % n == 0 }

  package mutating func pick<C: RandomAccessCollection>(_ choices: C) -> C.Element {
    choices[choices.index(choices.startIndex, offsetBy: Int.random(in: 0..<choices.count, using: &self))]
  }
}

/// The seed of this run: RLTRACE_TEST_SEED, or else a random one. It is printed so that a failure can be repeated.
package enum TestSeed {
  package static let value: UInt64 = {
    let given = ProcessInfo.processInfo.environment["RLTRACE_TEST_SEED"].flatMap { UInt64($0) }
    let seed = given ?? UInt64.random(in: 0..<1_000_000_000)
    print("property tests: RLTRACE_TEST_SEED=\(seed)")
    return seed
  }()

  /// The message of a failing expectation.
  package static var note: String { "repeat with RLTRACE_TEST_SEED=\(value)" }
}
