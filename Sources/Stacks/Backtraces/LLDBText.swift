import CallStacks
import SystemSupport

/// The output of lldb: `bt`, `thread backtrace all`.
///
///     frame #1: 0x000000018a44309c libsystem_kernel.dylib`mach_msg + 72
enum LLDBText {
  /// Removes `* `, which marks the selected thread or frame.
  private static func plain(_ text: Substring) -> Substring {
    let text = text.trimmed
    return text.hasPrefix("* ") ? text.dropFirst(2).trimmed : text
  }

  static func isFrame(_ text: Substring) -> Bool {
    var cursor = Cursor(plain(text))
    return cursor.take("frame #") && cursor.number() != nil && cursor.take(": ")
  }

  static func read(_ lines: [Line]) throws(BacktraceError) -> Backtrace {
    var builder = BacktraceBuilder()
    for line in lines {
      let text = plain(line.text)
      if text.hasPrefix("thread #") {
        try builder.begin(thread(text, line))
      } else if isFrame(text) {
        if !builder.hasThread { try builder.begin(BacktraceThread(line: line.number)) }
        try add(text, line.number, to: &builder)
      }
    }
    return try builder.finish(.lldb)
  }

  /// Parses `thread #1, queue = 'com.apple.main-thread', stop reason = signal SIGSTOP`.
  private static func thread(_ text: Substring, _ line: Line) -> BacktraceThread {
    var thread = BacktraceThread(line: line.number)
    var cursor = Cursor(text.dropFirst(8))
    thread.number = cursor.number()
    thread.isMain = thread.number == 1
    for key in ["name = '", "queue = '"] where thread.name == nil {
      if let mark = cursor.rest.place(of: key) {
        thread.name = cursor.rest[mark.upperBound...].prefix { $0 != "'" }.orNil
      }
    }
    thread.isAttributed = cursor.rest.has("stop reason = EXC_")
    return thread
  }

  private static func add(
    _ text: Substring, _ line: Int, to builder: inout BacktraceBuilder
  ) throws(BacktraceError) {
    var cursor = Cursor(text)
    guard cursor.take("frame #"), let number = cursor.number(), cursor.take(": ") else { return }
    guard number == UInt64(builder.frameCount) else {
      throw BacktraceError(line, "expected frame \(builder.frameCount), but found frame \(number)")
    }
    var frame = StackFrame()
    frame.address = cursor.address()
    cursor.blanks()
    var rest = cursor.rest
    guard let tick = rest.firstIndex(of: "`") else {
      // The image or the function is not known.
      if frame.address != nil {
        frame.image = rest.trimmed.orNil
        return try builder.add(frame, line: line)
      }
      throw BacktraceError(line, "frame \(number) has no function", isHalfLine: true)
    }
    frame.image = rest[..<tick].orNil
    rest = rest[rest.index(after: tick)...]
    while let mark = [" [opt]", " [inlined]", " [artificial]"].first(where: rest.hasSuffix) {
      rest = rest.dropLast(mark.count)
      if mark == " [inlined]" { frame.isInlined = true }
    }
    if let at = rest.lastPlace(of: " at ") {
      (frame.file, frame.line) = rest[at.upperBound...].trimmed.sourcePlace
      rest = rest[..<at.lowerBound]
    }
    if let inlined = rest.place(of: " [inlined] ") {
      rest = rest[inlined.upperBound...]
      frame.isInlined = true
    }
    (rest, frame.offset) = rest.withoutOffset
    rest = withoutArguments(rest)
    guard !rest.isEmpty else {
      throw BacktraceError(line, "frame \(number) has no function", isHalfLine: true)
    }
    frame.symbol = rest.hasPrefix("???") ? nil : String(rest)
    try builder.add(frame, line: line)
  }

  /// Removes argument values like `(self=0x0000600001, _cmd="save")`, but keeps parameter types.
  private static func withoutArguments(_ text: Substring) -> Substring {
    guard text.last == ")", let equals = text.firstIndex(of: "="),
      let open = text[..<equals].lastIndex(of: "("), open > text.startIndex
    else { return text }
    return text[..<open]
  }
}
