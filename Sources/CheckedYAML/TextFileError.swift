/// What is wrong with the text of a scenario, a profile or a budget, and where.
public struct TextFileError: Error, Equatable, Sendable, CustomStringConvertible {
  /// From 1; 0 when the place is not known.
  public var line: Int
  public var what: String

  public init(line: Int, what: String) {
    self.line = line
    self.what = what
  }

  public var description: String { line > 0 ? "line \(line): \(what)" : what }
}
