/// What is wrong with a dump, and where.
public struct DumpError: Error, Equatable, Sendable, CustomStringConvertible {
  /// From 1.
  public let line: Int
  public let what: String
  /// The text ends too early.
  public var isCut = false

  public var description: String { "line \(line): \(what)" }
}
