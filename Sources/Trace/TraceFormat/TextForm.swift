import SystemSupport

// The text form of a trace: the same blocks, one entry per line. `TextDumper` writes it and `TextAssembler` reads it.
// With codec none, dumping and assembling a trace gives the same bytes. docs/reference/trace-format.md describes the grammar.
//
//   rltrace-text 1
//   header minor=0 unit=10ns codec=none capture=callouts clock=monotonic high=yes
//   modes
//     1 "kCFRunLoopDefaultMode"
//   events thread=0
//     1200 BeforeTimers.low m1 #1     ; 0.000012000 s kCFRunLoopDefaultMode
//   end
//
// Times are in the trace's units, `m` is the mode id, `#` the object id. The text after a `;` is a comment for
// people.

package enum TextForm {
  static let firstLine = "rltrace-text 1"
  static let end = "end"
  /// Replaces `end` when the file had no index, as after the recorder was killed.
  static let unclean = "unclean"
  static let yes = "yes"
  static let no = "no"

  static func flag(_ key: String, _ isSet: Bool) -> String { "\(key)=\(isSet ? yes : no)" }

  /// Returns an error with a shortened message. Messages quote words of the text, which may have any length.
  static func error(line: Int, _ what: String) -> TraceFormatError {
    let kept = what.cut(toBytes: 300)
    return .text(line: line, what: kept.endIndex < what.endIndex ? kept + "…" : what)
  }

  package static func hex(_ bytes: some Sequence<UInt8>) -> String {
    var digits: [UInt8] = []
    for byte in bytes { for half in [byte >> 4, byte & 15] { digits.append(half + (half < 10 ? 48 : 87)) } }
    return String(decoding: digits, as: UTF8.self)
  }

  /// Decodes pairs of hexadecimal digits; nil for any other text.
  package static func bytes(hex: Substring) -> [UInt8]? {
    var halves: [UInt8] = []
    for byte in hex.utf8 {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): halves.append(byte - UInt8(ascii: "0"))
      case UInt8(ascii: "a")...UInt8(ascii: "f"): halves.append(byte - UInt8(ascii: "a") + 10)
      case UInt8(ascii: "A")...UInt8(ascii: "F"): halves.append(byte - UInt8(ascii: "A") + 10)
      default: return nil
      }
    }
    guard halves.count.isMultiple(of: 2) else { return nil }
    return stride(from: 0, to: halves.count, by: 2).map { halves[$0] << 4 | halves[$0 + 1] }
  }
}
