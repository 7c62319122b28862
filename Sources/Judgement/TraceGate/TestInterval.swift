/// The intervals that budgets in tests set in a trace: one for each body that is judged.
package enum TestInterval {
  private static let prefix = "test "

  /// Returns the name of the interval of a test.
  package static func name(_ test: String) -> String { prefix + test }

  /// Returns the name of the test that an interval belongs to; nil = none.
  package static func test(_ interval: String) -> String? {
    interval.hasPrefix(prefix) ? String(interval.dropFirst(prefix.count)) : nil
  }
}
