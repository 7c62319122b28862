/// A problem in a dump, with its line.
package struct DumpError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The line number, from 1.
  package let line: Int
  package let what: String
  /// Whether the problem is that the text ends too early.
  package var isCut = false

  package var description: String { "line \(line): \(what)" }
}
