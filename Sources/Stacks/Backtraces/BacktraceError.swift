/// A problem in a text of stacks, with its line.
package struct BacktraceError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The line number, from 1; 0 for the text as a whole.
  package let line: Int
  package let what: String

  /// Whether the line itself may be incomplete, as at the end of a truncated text.
  let isHalfLine: Bool

  init(_ line: Int, _ what: String, isHalfLine: Bool = false) {
    self.line = line
    self.isHalfLine = isHalfLine
    // The message may quote names from the text, but must stay on one line.
    let scalars = what.unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 }
    self.what = String(String.UnicodeScalarView(scalars))
  }

  package var description: String { line > 0 ? "line \(line): \(what)" : what }
}
