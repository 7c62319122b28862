/// A problem in the text of a scenario, a profile or a budget, with its line.
public struct TextFileError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The line number, from 1; 0 when not known.
  public var line: Int
  public var what: String

  public init(line: Int, what: String) {
    self.line = line
    self.what = what
  }

  public var description: String { line > 0 ? "line \(line): \(what)" : what }
}
