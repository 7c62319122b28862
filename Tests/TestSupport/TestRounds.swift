import Foundation

/// The number of rounds of a fuzz test. RLTRACE_TEST_ROUNDS overrides it, for a short run under a sanitizer or a long
/// one.
package enum TestRounds {
  package static func value(_ usual: Int) -> Int {
    ProcessInfo.processInfo.environment["RLTRACE_TEST_ROUNDS"].flatMap { Int($0) } ?? usual
  }
}
