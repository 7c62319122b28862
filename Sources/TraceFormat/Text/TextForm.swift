// The text form of a trace: the same blocks, a line an entry. `TextDumper` writes it, `TextAssembler` reads it;
// with codec none, dump and assemble give the same bytes back. docs/trace-format.md describes the grammar.
//
//   rltrace-text 1
//   header minor=0 unit=10ns codec=none capture=callouts clock=monotonic high=yes
//   modes
//     1 "kCFRunLoopDefaultMode"
//   events thread=0
//     1200 BeforeTimers.low m1 #1     ; 0.000012000 s kCFRunLoopDefaultMode
//   end
//
// Times are in the trace's units, `m` is the mode id, `#` the object id. What follows a `;` is a comment for the reader.

enum TextForm {
  static let firstLine = "rltrace-text 1"
  static let end = "end"
  /// In place of `end`: the file had no index, as after a killed recorder.
  static let unclean = "unclean"
  static let yes = "yes"
  static let no = "no"

  private static let digits = Array("0123456789abcdef".utf8)

  static func hex(_ bytes: [UInt8]) -> String {
    String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  /// Nil unless the text is pairs of hexadecimal digits.
  static func bytes(hex: Substring) -> [UInt8]? {
    let digits = Array(hex.utf8)
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 2)
    for i in stride(from: 0, to: digits.count, by: 2) {
      guard let high = value(digits[i]), let low = value(digits[i + 1]) else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
