/// Names in the text form stand in double quotes; whatever could confuse a terminal or a diff is escaped.
enum QuotedText {
  static func quote(_ text: String) -> String {
    var out = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": out += "\\\""
      case "\\": out += "\\\\"
      case "\n": out += "\\n"
      case "\t": out += "\\t"
      default:
        if isHarmless(scalar) {
          out.unicodeScalars.append(scalar)
        } else {
          out += "\\u{\(String(scalar.value, radix: 16))}"
        }
      }
    }
    return out + "\""
  }

  /// Printable, and without influence on the text around it (no control, bidirectional or separator character).
  static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
    default: true
    }
  }

  /// Takes a quoted text from the front of `rest`; nil when there is none.
  static func take(_ rest: inout Substring) -> String? {
    guard rest.first == "\"" else { return nil }
    var scalars = rest.unicodeScalars.dropFirst()
    var out = String.UnicodeScalarView()
    while let scalar = scalars.popFirst() {
      switch scalar {
      case "\"":
        rest = Substring(scalars)
        return String(out)
      case "\\":
        guard let escape = scalars.popFirst() else { return nil }
        switch escape {
        case "n": out.append("\n")
        case "t": out.append("\t")
        case "\"", "\\": out.append(escape)
        case "u":
          guard scalars.popFirst() == "{", let end = scalars.firstIndex(of: "}"),
            let value = UInt32(String(scalars[..<end]), radix: 16), let decoded = Unicode.Scalar(value)
          else { return nil }
          out.append(decoded)
          scalars = scalars[scalars.index(after: end)...]
        default: return nil
        }
      default: out.append(scalar)
      }
    }
    return nil
  }
}
