import Foundation

/// The number of rounds of a fuzz test. RLTRACE_TEST_ROUNDS overrides it, for a short run under a sanitizer or a long
/// one.
package enum TestRounds {
  private static let given = ProcessInfo.processInfo.environment["RLTRACE_TEST_ROUNDS"].flatMap { Int($0) }

  package static func value(_ usual: Int) -> Int { given ?? usual }

  /// Whether this is a long run, as in .ci/nightly. Tests that build a large package take part only then.
  package static var isLong: Bool { value(0) >= 1000 }
}
