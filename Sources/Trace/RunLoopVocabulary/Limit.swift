/// A limit on what comes from a file, with its description.
package struct Limit: Sendable {
  /// The name in the declaration and in errors.
  package let name: String
  package let value: UInt64
  /// The things that are limited.
  package let of: String
  /// The effect of exceeding the limit.
  package let beyond: String

  package init(_ name: String, _ value: some BinaryInteger, of: String, beyond: String) {
    self.name = name
    self.value = UInt64(clamping: value)
    self.of = of
    self.beyond = beyond
  }

  /// Creates a limit beyond which the whole input is refused.
  package init(_ name: String, _ value: some BinaryInteger, of: String, refusing whole: String) {
    self.init(name, value, of: of, beyond: "\(whole) refused")
  }
}
