/// A problem in the text of a scenario, a profile or a budget, with its line.
package struct TextFileError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The line number, from 1; 0 when not known.
  package var line: Int
  package var what: String

  package init(line: Int, what: String) {
    self.line = line
    self.what = what
  }

  package var description: String { line > 0 ? "line \(line): \(what)" : what }
}
