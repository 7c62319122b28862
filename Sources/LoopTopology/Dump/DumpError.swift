/// What is wrong with a dump, and where.
public struct DumpError: Error, Equatable, Sendable, CustomStringConvertible {
  /// From 1.
  public let line: Int
  public let what: String

  public var description: String { "line \(line): \(what)" }
}
