/// A key as the terminal reports it.
package enum WatchKey: Equatable, Sendable {
  case character(Character)
  case up, down, left, right, enter, escape, backspace

  /// Parses what was typed. A sequence that is not complete stays in `input` until `isOver`.
  package static func parse(_ input: inout [UInt8], isOver: Bool) -> [WatchKey] {
    var keys: [WatchKey] = []
    var at = 0
    loop: while at < input.count {
      let byte = input[at]
      switch byte {
      case 0x1B:
        guard at + 1 < input.count else {
          guard isOver else { break loop }
          keys.append(.escape)
          at += 1
          continue loop
        }
        guard input[at + 1] == UInt8(ascii: "[") || input[at + 1] == UInt8(ascii: "O") else {
          keys.append(.escape)
          at += 1
          continue loop
        }
        // A sequence ends with a byte from @ to ~.
        guard let end = input[(at + 2)...].firstIndex(where: { (0x40...0x7E).contains($0) }) else {
          guard isOver else { break loop }
          at = input.count
          continue loop
        }
        switch input[end] {
        case UInt8(ascii: "A"): keys.append(.up)
        case UInt8(ascii: "B"): keys.append(.down)
        case UInt8(ascii: "C"): keys.append(.right)
        case UInt8(ascii: "D"): keys.append(.left)
        default: break
        }
        at = end + 1
      case 0x0D, 0x0A:
        keys.append(.enter)
        at += 1
      case 0x7F, 0x08:
        keys.append(.backspace)
        at += 1
      case 0..<0x20: at += 1
      default:
        let length = byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
        guard at + length <= input.count || isOver else { break loop }
        let end = min(input.count, at + length)
        if let letter = String(decoding: input[at..<end], as: UTF8.self).first {
          keys.append(.character(letter))
        }
        at = end
      }
    }
    input.removeFirst(at)
    return keys
  }
}
