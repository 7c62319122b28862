import CallStacks
import SystemSupport

/// Reads texts with stacks from any tool. The content decides which kind a text is.
package enum BacktraceReader {
  private struct Format: Sendable {
    let kind: BacktraceKind
    /// Whether a line belongs to this kind only.
    let isMark: @Sendable (Line) -> Bool
    /// Line prefixes that occur once in each report. The first of them that occurs more than once in the text marks
    /// where its reports begin.
    var begins: [String] = []
    let read: Reader
  }

  private typealias Reader = @Sendable ([Line]) throws(BacktraceError) -> Backtrace

  private static let formats = [
    Format(
      kind: .euStack, isMark: { EUStackText.isFrame($0.text) }, begins: ["PID "],
      read: { lines throws(BacktraceError) in try EUStackText.read(lines) }),
    Format(
      kind: .backtraceSymbols, isMark: { BacktraceSymbols.isFrame($0.text) },
      read: { lines throws(BacktraceError) in try BacktraceSymbols.read(lines) }),
    Format(
      kind: .gdb, isMark: { GDBText.isFrame($0.text) },
      read: { lines throws(BacktraceError) in try GDBText.read(lines) }),
    Format(
      kind: .lldb, isMark: { LLDBText.isFrame($0.text) },
      read: { lines throws(BacktraceError) in try LLDBText.read(lines) }),
    Format(
      kind: .swift, isMark: { SwiftText.begins($0.text) }, begins: ["*** Program crashed: "],
      read: { lines throws(BacktraceError) in try SwiftText.read(lines) }),
    Format(
      kind: .sample, isMark: { SampleText.begins($0.text) }, begins: ["Analysis of sampling "],
      read: { lines throws(BacktraceError) in try SampleText.read(lines) }),
    Format(
      kind: .spindump, isMark: { SpindumpText.begins($0.text) }, begins: ["Date/Time:"],
      read: { lines throws(BacktraceError) in try SpindumpText.read(lines) }),
    Format(
      kind: .appleReport, isMark: { AppleReport.begins($0.text) },
      begins: ["Incident Identifier:", "Process:"],
      read: { lines throws(BacktraceError) in try AppleReport.read(lines) }),
  ]

  /// Reads a text in linear time, without recursion. Throws when the text has no stack.
  package static func read(_ bytes: consuming [UInt8]) throws(BacktraceError) -> Backtrace {
    guard bytes.count <= BacktraceLimits.bytes else {
      throw BacktraceError(0, "more than \(BacktraceLimits.bytes >> 20) MiB of text")
    }
    guard !bytes.starts(with: PLCrashReport.magic) else {
      throw BacktraceError(
        1, "this is the binary form of PLCrashReporter; `plcrashutil convert --format=iphone` makes a text")
    }
    if isStackshot(bytes) {
      throw BacktraceError(1, "this is a stackshot of the kernel (kcdata), \(notRead)")
    }
    // A UTF-8 byte order mark does not matter.
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
    var header = 0
    if let (json, line) = json(bytes) {
      // The list of all processes has more values than are read, so it is found without parsing it.
      if String(decoding: json.prefix(1 << 16), as: UTF8.self)[...].has("\"processByPid\"") {
        throw BacktraceError(line, "this is a stackshot as an .ips report (processByPid), \(notRead)")
      }
      // Reports of hangs and of resource use have a header of JSON and continue as text.
      header = textAfterHeader(json, line)
      if header == 0 { return try JSONReports.read(json, line: line) }
    }
    removeEscapes(from: &bytes)
    replaceNoBreakSpaces(in: &bytes)
    var lines = try lines(String(decoding: bytes, as: UTF8.self))
    lines.removeFirst(min(header, lines.count))
    guard lines.contains(where: { !$0.text.trimmed.isEmpty }) else {
      throw BacktraceError(0, "the text is empty")
    }
    return try read(lines: lines)
  }

  /// The first bytes of stackshots of the kernel: whole ones, and differences to an earlier one.
  private static let stackshots: [[UInt8]] = [[0x07, 0x58, 0xA2, 0x59], [0x9A, 0xA5, 0x17, 0xDE]]
  private static func isStackshot(_ bytes: [UInt8]) -> Bool { stackshots.contains { bytes.starts(with: $0) } }

  private static let notRead = "which rltrace does not read; give the text of spindump or sample"

  /// Reads the lines of a text that is not JSON.
  static func read(lines: [Line]) throws(BacktraceError) -> Backtrace {
    let (read, begins, mark) = try format(of: lines)
    do throws(BacktraceError) {
      return try SeveralReports.read(reports(in: lines, begins)) { lines throws(BacktraceError) in
        try readCompletePart(of: lines, read)
      }
    } catch {
      throw error.line > 0 ? error : BacktraceError(mark, error.what)
    }
  }

  /// Reads a report. If it was truncated within its last line, reads it without that line.
  private static func readCompletePart(of lines: [Line], _ read: Reader) throws(BacktraceError) -> Backtrace {
    do throws(BacktraceError) { return try read(lines) } catch {
      guard error.isHalfLine, let last = lines.last, !last.text.isEmpty, error.line == last.number,
        var trace = try? read(lines.dropLast())
      else { throw error }
      trace.notes.append("the text is cut off: \(error)")
      return trace
    }
  }

  /// Splits the lines into reports. Lines before the first report belong to it.
  private static func reports(in lines: [Line], _ begins: [String]) -> [[Line]] {
    for begin in begins {
      let starts = lines.indices.filter { lines[$0].text.hasPrefix(begin) }
      guard starts.count > 1 else { continue }
      let ends = starts.dropFirst() + [lines.endIndex]
      return zip([0] + starts.dropFirst(), ends).map { Array(lines[$0..<$1]) }
    }
    return [lines]
  }

  /// Returns the JSON of a text, and the line on which it begins. Swift's runtime prints a few words before it.
  private static func json(_ bytes: [UInt8]) -> (text: [UInt8], line: Int)? {
    guard let first = bytes.first(where: { !blanks.contains($0) }) else { return nil }
    if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") && !isListOfMarks(bytes) { return (bytes, 1) }
    let start = Array("{ \"timestamp\"".utf8)
    var line = 1
    for at in bytes.indices where bytes[at] == UInt8(ascii: "\n") {
      line += 1
      if bytes[(at + 1)...].starts(with: start) { return (Array(bytes[(at + 1)...]), line) }
    }
    return nil
  }

  /// Returns the number of header lines before a text; 0 when everything is JSON.
  private static func textAfterHeader(_ bytes: [UInt8], _ line: Int) -> Int {
    guard line == 1, let end = bytes.firstIndex(of: UInt8(ascii: "\n")),
      bytes[..<end].last(where: { $0 != 0x0D }) == UInt8(ascii: "}"),
      let behind = bytes[end...].first(where: { !blanks.contains($0) })
    else { return 0 }
    return isLetter(behind) ? 1 : 0
  }

  /// Returns whether the first bracket begins a message of gdb, such as `[New Thread …]`, and not a JSON array.
  private static func isListOfMarks(_ bytes: [UInt8]) -> Bool {
    guard let open = bytes.firstIndex(of: UInt8(ascii: "[")) else { return false }
    return bytes[(open + 1)...].first { !blanks.contains($0) }.map(isLetter) ?? false
  }

  private static let blanks: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  private static func lines(_ text: String) throws(BacktraceError) -> [Line] {
    var lines: [Line] = []
    // Splitting into characters would not work, because "\r\n" is one character.
    for part in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      guard lines.count < BacktraceLimits.lines else {
        throw BacktraceError(lines.count, "more than \(BacktraceLimits.lines) lines")
      }
      let line = part.last == 0x0D ? part.dropLast() : part
      lines.append(Line(number: lines.count + 1, text: Substring(line)))
    }
    return lines
  }

  /// Removes the escape sequences that colour text on a terminal.
  private static func removeEscapes(from bytes: inout [UInt8]) {
    var isEscape = false
    bytes.removeAll { byte in
      if byte == 0x1B {
        isEscape = true
        return true
      }
      guard isEscape else { return false }
      // A letter ends the sequence: ESC [ 3 1 m.
      isEscape = !(UInt8(ascii: "@")...UInt8(ascii: "~")).contains(byte) || byte == UInt8(ascii: "[")
      return true
    }
  }

  /// Replaces no-break spaces (U+00A0), which a text that was copied from a page has, by blanks.
  private static func replaceNoBreakSpaces(in bytes: inout [UInt8]) {
    var kept = 0
    for place in bytes.indices {
      if bytes[place] == 0xA0, kept > 0, bytes[kept - 1] == 0xC2 {
        bytes[kept - 1] = UInt8(ascii: " ")
      } else {
        bytes[kept] = bytes[place]
        kept += 1
      }
    }
    bytes.removeLast(bytes.count - kept)
  }

  /// Returns the first line of each kind, in the text's order.
  private static func marks(_ lines: [Line]) -> [(format: Format, line: Int)] {
    formats.compactMap { format in lines.first(where: format.isMark).map { (format, $0.number) } }
      .ordered { $0.line < $1.line }
  }

  private static func format(
    of lines: [Line]
  ) throws(BacktraceError) -> (read: Reader, begins: [String], mark: Int) {
    // A truncated last line may look like a line of another kind.
    var found = marks(lines.dropLast())
    if found.isEmpty { found = marks(lines) }
    if found.count > 1 {
      throw BacktraceError(
        found[1].line,
        "two kinds of stacks in one text: \(found[0].format.kind.words) on line \(found[0].line), "
          + "\(found[1].format.kind.words) here; give one of them")
    }
    if let first = found.first { return (first.format.read, first.format.begins, first.line) }
    if let header = lines.first(where: { AppleReport.Header($0.text) != nil }) {
      // `Thread 1:` alone does not decide; the next line does.
      let behind = lines.first { $0.number > header.number && !$0.text.trimmed.isEmpty }
      if let behind, (try? NumberedFrames.frame(behind)) != nil {
        return ({ lines throws(BacktraceError) in try AppleReport.read(lines) }, [], header.number)
      }
    }
    if let begin = lines.first(where: FrameList.begins) {
      return ({ lines throws(BacktraceError) in try FrameList.read(lines) }, [], begin.number)
    }
    if let line = lines.first(where: { $0.text.trimmed.first == "(" && AppleReport.addresses($0.text) != nil }
    ) {
      throw BacktraceError(
        line.number,
        "the stack has only addresses, without their images; give the report with the list of images"
      )
    }
    let first = lines.first { !$0.text.trimmed.isEmpty }
    throw BacktraceError(
      first?.number ?? 0,
      "no known kind of stack begins here or below; docs/reference/commands/stack.md lists the kinds"
    )
  }
}
