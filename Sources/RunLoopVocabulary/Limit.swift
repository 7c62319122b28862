/// A limit on what comes from a file, and its words.
public struct Limit: Sendable {
  /// As it is declared, and as an error names it.
  public let name: String
  public let value: UInt64
  /// What there are no more of.
  public let of: String
  /// What becomes of the rest.
  public let beyond: String

  public init(_ name: String, _ value: some BinaryInteger, of: String, beyond: String) {
    self.name = name
    self.value = UInt64(clamping: value)
    self.of = of
    self.beyond = beyond
  }

  /// What has more of it is refused as a whole.
  public init(_ name: String, _ value: some BinaryInteger, of: String, refusing whole: String) {
    self.init(name, value, of: of, beyond: "the \(whole) is refused")
  }
}
