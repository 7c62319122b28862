/// Prefixes of the lines of a pasted dump: comment and quote markers, or the words with which a log begins its
/// lines.
enum LinePrefixes {
  private static let longest = 200

  /// Returns the text without the prefixes of the dumps' lines. Line breaks stay.
  static func removed(from bytes: [UInt8]) -> [UInt8] {
    guard bytes.count <= TopologyLimits.textBytes, let start = DumpText.placeOfDump(in: bytes, from: 0) else {
      return bytes
    }
    let lineStart = bytes[..<start].lastIndex(of: newline).map { $0 + 1 } ?? 0
    guard let lineEnd = bytes[start...].firstIndex(of: newline), lineEnd + 1 < bytes.count else {
      return bytes
    }
    let sign = commentSign(bytes[(lineEnd + 1)...])
    let hasLog = sign.isEmpty && logPrefix(bytes[(lineEnd + 1)...]) > 0
    guard !sign.isEmpty || hasLog else { return bytes }
    var out = Array(bytes[..<lineStart])
    out.reserveCapacity(bytes.count)
    var at = lineStart
    while at < bytes.count {
      let end = bytes[at...].firstIndex(of: newline) ?? bytes.count
      let line = bytes[at..<end]
      if hasLog {
        out += line.dropFirst(logPrefix(line))
      } else {
        let rest = line.dropFirst(line.starts(with: sign) ? sign.count : 0)
        // A blank after the sign belongs to it.
        out += rest.count < line.count && rest.first == UInt8(ascii: " ") ? rest.dropFirst() : rest
      }
      if end < bytes.count { out.append(newline) }
      at = end + 1
    }
    return out
  }

  /// Returns the start of the next log line. A dump that a log truncated ends there.
  static func nextLogLine(in bytes: [UInt8], after start: Int) -> Int? {
    var at = start
    while let end = bytes[at...].firstIndex(of: newline) {
      at = end + 1
      if logPrefix(bytes[at...]) > 0 { return at }
    }
    return nil
  }

  /// Returns the comment or quote characters in front of a line, all of one kind: `//`, `#`, `>`, `*`, `|`, `;`, `--`.
  private static func commentSign(_ line: ArraySlice<UInt8>) -> [UInt8] {
    var at = line.startIndex
    while at < line.endIndex, line[at] == UInt8(ascii: " ") { at += 1 }
    guard at < line.endIndex, "/#>*|;-".utf8.contains(line[at]) else { return [] }
    let sign = line[at]
    var count = 0
    while at + count < line.endIndex, count < 8, line[at + count] == sign { count += 1 }
    // A single slash or dash is part of a value.
    guard count > 1 || !"/-".utf8.contains(sign) else { return [] }
    return Array(line[line.startIndex..<at + count])
  }

  /// Returns the length of `2026-03-01 10:00:00.123456+0100 Player[411:9021] `, of
  /// `Mar  1 10:00:00 host Player[411]: `, or of Console's `default 10:00:00.123456+0100 Player `; 0 = none.
  private static func logPrefix(_ line: ArraySlice<UInt8>) -> Int {
    let head = line.prefix { $0 != newline }.prefix(longest)
    let console = consolePrefix(head)
    guard console == 0 else { return console }
    guard let open = head.firstIndex(of: UInt8(ascii: "[")),
      let close = head[open...].firstIndex(of: UInt8(ascii: "]")), close > open + 1,
      head[(open + 1)..<close].allSatisfy({ $0.isDigit || $0 == UInt8(ascii: ":") }),
      isTime(head[..<open])
    else { return 0 }
    var end = close + 1
    while end < head.endIndex, head[end] == UInt8(ascii: ":") || head[end] == UInt8(ascii: " ") {
      end += 1
    }
    return end - line.startIndex
  }

  /// The types of messages that Console writes first in a copied line.
  private static let types = ["default", "info", "debug", "error", "fault"].map { Array($0.utf8) }

  /// Returns the length of `default 10:00:00.123456+0100 Player `, with blanks or tabs between the words; 0 = none.
  /// Only one blank follows the name of the process, because the line itself may be indented.
  private static func consolePrefix(_ head: ArraySlice<UInt8>) -> Int {
    func isGap(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
    guard let type = types.first(where: { head.starts(with: $0) }) else { return 0 }
    let behind = head.dropFirst(type.count)
    let time = behind.drop(while: isGap)
    guard time.count < behind.count else { return 0 }
    let stamp = time.prefix { !isGap($0) }
    guard isTime(stamp) else { return 0 }
    let name = time[stamp.endIndex...].drop(while: isGap)
    // Names may have blanks; then only a tab ends them.
    let isTabbed = behind.first == UInt8(ascii: "\t")
    let end = name.firstIndex { isTabbed ? $0 == UInt8(ascii: "\t") : isGap($0) }
    return name.isEmpty ? 0 : (end.map { $0 + 1 } ?? head.endIndex) - head.startIndex
  }

  /// Returns whether the text contains a time like `12:34:56`.
  private static func isTime(_ text: ArraySlice<UInt8>) -> Bool {
    let colons = text.indices.filter { text[$0] == UInt8(ascii: ":") }
    return zip(colons, colons.dropFirst()).contains { first, second in
      second == first + 3 && text[(first + 1)..<second].allSatisfy(\.isDigit)
    }
  }
}
