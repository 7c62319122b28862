/// Names in the text form: in double quotes, with everything escaped that could confuse a terminal or a diff.
enum QuotedText {
  static func quote(_ text: String) -> String { "\"" + escape(text.unicodeScalars[...]) + "\"" }

  /// Returns the text between the quotes.
  static func escape(_ scalars: Substring.UnicodeScalarView) -> String {
    var out = ""
    for scalar in scalars {
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
    return out
  }

  /// Returns whether a scalar is printable and does not affect the text around it (no control, bidirectional or
  /// separator character).
  static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return scalar.value >= 0x20 && scalar.value != 0x7F }
    return switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
    default: true
    }
  }

  /// Takes a quoted string off the front of `rest`; nil when there is none.
  static func take(_ rest: inout Substring) -> String? {
    var scalars = rest.unicodeScalars
    guard scalars.popFirst() == "\"" else { return nil }
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
          guard scalars.popFirst() == "{", let end = scalars.prefix(9).firstIndex(of: "}"),
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
