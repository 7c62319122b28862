import Foundation

/// How often a fuzz test tries: RLTRACE_TEST_ROUNDS, for a short run under a sanitizer or a long one over night.
public enum TestRounds {
  public static func value(_ usual: Int) -> Int {
    ProcessInfo.processInfo.environment["RLTRACE_TEST_ROUNDS"].flatMap { Int($0) } ?? usual
  }
}
