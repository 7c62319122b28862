/// What is wrong with a text of stacks, and where.
public struct BacktraceError: Error, Equatable, Sendable, CustomStringConvertible {
  /// From 1; 0 when it is the text as a whole.
  public let line: Int
  public let what: String

  init(_ line: Int, _ what: String) {
    self.line = line
    self.what = what
  }

  public var description: String { line > 0 ? "line \(line): \(what)" : what }
}
