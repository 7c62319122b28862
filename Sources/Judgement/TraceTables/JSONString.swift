import TraceResults

/// Writes strings of JSON.
package enum JSONString {
  /// Appends a string with its quotes. Characters that move the cursor or change the text direction are escaped,
  /// because people also read JSON.
  package static func append(_ text: String, to bytes: inout [UInt8]) {
    let quote = UInt8(ascii: "\""), backslash = UInt8(ascii: "\\")
    bytes.append(quote)
    defer { bytes.append(quote) }
    // Fast path for nearly all texts.
    if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) && $0 != quote && $0 != backslash }) {
      bytes += text.utf8
      return
    }
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": bytes += [backslash, UInt8(ascii: scalar)]
      case " "..."~": bytes.append(UInt8(ascii: scalar))
      case "\u{8}": bytes += "\\b".utf8
      case "\t": bytes += "\\t".utf8
      case "\n": bytes += "\\n".utf8
      case "\u{C}": bytes += "\\f".utf8
      case "\r": bytes += "\\r".utf8
      default:
        if scalar.visible == scalar {
          bytes += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
        } else {
          bytes += escaped(scalar).utf8
        }
      }
    }
  }

  /// Returns the escape sequences of the scalar's UTF-16 units.
  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    UTF16.encode(scalar).map { units in
      units.map { "\\u" + String(UInt32($0) + 0x10000, radix: 16).dropFirst() }.joined()
    } ?? ""
  }
}
