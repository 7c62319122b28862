/// A problem in a dump, with its line.
public struct DumpError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The line number, from 1.
  public let line: Int
  public let what: String
  /// Whether the problem is that the text ends too early.
  public var isCut = false

  public var description: String { "line \(line): \(what)" }
}
