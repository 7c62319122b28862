import CallStacks

/// A plain list of numbered frames, possibly with other text around it.
enum FrameList {
  /// Parses a frame. Programs print lists of strings with commas and quotes.
  private static func frame(_ line: Line) throws(BacktraceError) -> (number: UInt64, frame: StackFrame)? {
    var text = line.text.trimmed
    if text.last == "," { text = text.dropLast() }
    if text.count > 1, text.first == "\"", text.last == "\"" { text = text.dropFirst().dropLast() }
    return try NumberedFrames.frame(Line(number: line.number, text: text))
  }

  static func begins(_ line: Line) -> Bool {
    guard let found = try? frame(line) else { return false }
    return found.number == 0 && found.frame.isLikely
  }

  static func read(_ lines: [Line]) throws(BacktraceError) -> Backtrace {
    var builder = BacktraceBuilder()
    var junk: Int?
    for line in lines {
      guard let found = try? frame(line), builder.hasThread || begins(line) else {
        if builder.hasThread, !line.text.trimmed.isEmpty { junk = junk ?? line.number }
        // A line with the next number that is not a frame is a truncated frame.
        if builder.hasThread, junk == line.number { _ = try expected(line, builder.frameCount) }
        continue
      }
      if found.number == 0 {
        try builder.begin(BacktraceThread(line: line.number))
        junk = nil
      } else if found.number != UInt64(builder.frameCount) {
        throw BacktraceError(
          line.number, "expected frame \(builder.frameCount), but found frame \(found.number)")
      }
      if let junk { throw BacktraceError(junk, "this line in the middle of a stack is not a frame") }
      try builder.add(found.frame, line: line.number)
    }
    return try builder.finish(.list)
  }

  /// Throws when the line is the truncated next frame.
  private static func expected(_ line: Line, _ number: Int) throws(BacktraceError) -> Bool {
    var cursor = Cursor(line.text)
    cursor.blanks()
    guard cursor.number() == UInt64(number) else { return false }
    _ = try frame(line)
    return true
  }
}

extension StackFrame {
  /// Whether this is likely a frame rather than a numbered line of text.
  fileprivate var isLikely: Bool { self.address != nil || self.offset != nil || self.imageOffset != nil }
}
