import TraceFormat

/// A problem with an import: what is wrong, and where.
package enum ImportError: Error, Equatable, Sendable {
  /// The document is damaged, or is not what the import reads. `line` from 1; 0 = not known.
  case document(line: Int, column: Int, what: String)
  /// The system has no libxml2.
  case missingLibrary
  /// The user has to choose other files or another process.
  case choice(String)
  case writing(TraceFormatError)
}

extension ImportError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .document(let line, let column, let what):
      line > 0 ? "line \(line), column \(column): \(what)" : what
    case .missingLibrary: "reading XML needs libxml2 (on Debian and Ubuntu: apt-get install libxml2)"
    case .choice(let what): what
    case .writing(let error): "\(error)"
    }
  }
}
