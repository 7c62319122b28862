extension AnnotationReport {
  /// The annotations as workflow commands of GitHub Actions, one in each line. A result without a line of the sources
  /// has no file.
  package var github: String {
    annotations.map { annotation in
      let place = annotation.place.map { "file=\(Self.property($0.path)),line=\($0.line)," } ?? ""
      let title = "title=\(Self.property(annotation.check))"
      return "::\(annotation.level.rawValue) \(place)\(title)::\(Self.escaped(annotation.message))\n"
    }.joined()
  }

  private static func property(_ text: String) -> String { escaped(text, isProperty: true) }

  /// Escapes percent signs and line breaks; in a property, also colons and commas.
  private static func escaped(_ text: String, isProperty: Bool = false) -> String {
    var out = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar {
      case "%": out.append(contentsOf: "%25".unicodeScalars)
      case "\r": out.append(contentsOf: "%0D".unicodeScalars)
      case "\n": out.append(contentsOf: "%0A".unicodeScalars)
      case ":" where isProperty: out.append(contentsOf: "%3A".unicodeScalars)
      case "," where isProperty: out.append(contentsOf: "%2C".unicodeScalars)
      default: out.append(scalar)
      }
    }
    return String(out)
  }
}
