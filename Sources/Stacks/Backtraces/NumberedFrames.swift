import CallStacks
import SystemSupport

/// Frames as in Apple's reports and `Thread.callStackSymbols`, with or without addresses.
///
///     3   libdispatch.dylib        0x00000001948115b0 _dispatch_client_callout + 20 (queue.c:12)
///     14 MyAPPName +[MKLocationRecorder locationAuthorised] + 40
enum NumberedFrames {
  /// Parses a frame; nil when the line does not begin with a number.
  static func frame(_ line: Line) throws(BacktraceError) -> (number: UInt64, frame: StackFrame)? {
    var cursor = Cursor(line.text)
    cursor.blanks()
    guard let number = cursor.number(), let next = cursor.rest.first, next == " " || next == "\t" else {
      return nil
    }
    cursor.blanks()
    var frame = StackFrame()
    let (image, rest) = split(cursor.rest)
    frame.image = image == "???" || image == "<unknown>" ? nil : image.orNil
    cursor = Cursor(rest)
    frame.address = cursor.address()
    cursor.blanks()
    try location(cursor.rest.trimmed, &frame, line.number, number)
    return (number, frame)
  }

  /// Splits off the image name. It may contain blanks and ends at an address or a wider gap.
  private static func split(_ text: Substring) -> (image: Substring, rest: Substring) {
    // The frame has no image.
    if text.hasPrefix("0x") { return (text.prefix(0), text) }
    if let found = [" 0x", "\t0x"].compactMap({ text.place(of: $0) }).min(by: {
      $0.lowerBound < $1.lowerBound
    }) {
      return (text[..<found.lowerBound].trimmed, text[found.lowerBound...].trimmed)
    }
    for mark in ["  ", "\t"] {
      guard let found = text.place(of: mark) else { continue }
      return (text[..<found.lowerBound], text[found.upperBound...].trimmed)
    }
    var cursor = Cursor(text)
    let image = cursor.word()
    return (image, cursor.rest.trimmed)
  }

  /// Parses `symbol + 12 (file.m:3)`, `0x184cd3000 + 2323252`, `0x239a66000 + 34284 (symbol)`.
  private static func location(
    _ text: Substring, _ frame: inout StackFrame, _ line: Int, _ number: UInt64
  ) throws(BacktraceError) {
    var text = text
    guard !text.isEmpty else {
      throw BacktraceError(line, "frame \(number) has no function; is it cut off?", isHalfLine: true)
    }
    if text.hasSuffix(" [inlined]") {
      frame.isInlined = true
      text = text.dropLast(10)
    }
    var note: Substring?
    if text.last == ")", let open = text.lastPlace(of: " ("),
      text[..<open.lowerBound].withoutOffset.offset != nil
    {
      note = text[open.upperBound...].dropLast()
      text = text[..<open.lowerBound]
    }
    let (name, offset) = text.withoutOffset
    // The image's load address, in hexadecimal or, in old reports, in decimal.
    if name.utf8.starts(with: "0x".utf8) || offset != nil && UInt64(name) != nil {
      frame.imageOffset = offset
      frame.symbol = note.map { String($0.trimmed) }
      return
    }
    frame.offset = offset
    frame.symbol = name == "???" ? nil : String(name)
    if let note { (frame.file, frame.line) = note.sourcePlace }
  }
}
