import CallStacks
import TraceFormat

/// A crash or hang report of Apple's systems as text.
enum AppleReport {
  /// What only such a report has.
  static func begins(_ text: Substring) -> Bool {
    if ["Exception Type:", "Triggered by Thread:", "Crashed Thread:", "Last Exception Backtrace:"].contains(
      where: text.hasPrefix)
    {
      return true
    }
    guard let header = Header(text) else { return false }
    return header.isCrashed || header.isName || header.rest.hasPrefix(":")
  }

  /// `Thread 0 name:  main`, `Thread 0 Crashed:: main Dispatch queue: com.apple.main-thread`, `Thread 3:`
  struct Header {
    let number: UInt64
    var isCrashed = false
    var isName = false
    /// Behind the colon.
    let rest: Substring

    init?(_ text: Substring) {
      guard text.hasPrefix("Thread ") else { return nil }
      var cursor = Cursor(text.dropFirst(7))
      guard let number = cursor.number() else { return nil }
      self.number = number
      if cursor.take(" name:") {
        isName = true
      } else if cursor.take(" Crashed:") {
        isCrashed = true
      } else if !cursor.take(":") {
        return nil
      }
      rest = cursor.rest
    }
  }

  static func read(_ lines: [Line]) throws(BacktraceError) -> Backtrace {
    var builder = BacktraceBuilder()
    var names: [UInt64: String] = [:]
    var isStack = false
    var isImages = false
    // Something else came behind the threads.
    var isWhole = false
    for line in lines {
      let text = line.text
      if let header = Header(text) {
        if header.isName {
          names[header.number] = name(header.rest)
          continue
        }
        var thread = BacktraceThread(line: line.number)
        thread.number = header.number
        thread.isAttributed = header.isCrashed
        thread.name = name(header.rest.drop { $0 == ":" }) ?? names[header.number]
        thread.isMain = header.number == 0
        try builder.begin(thread)
        (isStack, isImages) = (true, false)
      } else if let extra = extraStack(text) {
        var thread = BacktraceThread(line: line.number)
        thread.name = extra
        try builder.begin(thread)
        (isStack, isImages) = (true, false)
      } else if text.hasPrefix("Binary Images:") {
        (isStack, isImages, isWhole) = (false, true, true)
      } else if isImages {
        image(text, into: &builder)
      } else if isStack {
        guard !text.trimmed.isEmpty else {
          isStack = builder.isEmpty
          continue
        }
        guard let (number, frame) = try NumberedFrames.frame(line) else {
          isStack = text.trimmed == "..." && !builder.isEmpty
          isWhole = isWhole || !isStack
          continue
        }
        guard number == UInt64(builder.frameCount) else {
          throw BacktraceError(
            line.number, "frame \(number) stands where frame \(builder.frameCount) belongs")
        }
        try builder.add(frame, line: line.number)
      } else if let program = program(text) {
        builder.program = program
      }
    }
    return try builder.finish(.appleReport, isWhole: isWhole)
  }

  private static func extraStack(_ text: Substring) -> String? {
    if text.hasPrefix("Last Exception Backtrace:") { return "last exception" }
    return text.hasPrefix("Application Specific Backtrace ") ? "application specific" : nil
  }

  private static func name(_ text: Substring) -> String? {
    let text = text.trimmed
    guard let queue = text.place(of: "Dispatch queue: ") else { return text.orNil }
    return text[..<queue.lowerBound].trimmed.orNil ?? text[queue.upperBound...].trimmed.orNil
  }

  /// Process:             novellum [50701]
  static func program(_ text: Substring) -> String? {
    for key in ["Process:", "Command:"] where text.hasPrefix(key) {
      let value = text.dropFirst(key.count).trimmed
      return (value.lastPlace(of: " [").map { value[..<$0.lowerBound] } ?? value).orNil
    }
    return nil
  }

  ///        0x1044a0000 -        0x1044affff MyApp arm64  <0123…> /private/var/MyApp.app/MyApp
  static func image(_ text: Substring, into builder: inout BacktraceBuilder) {
    var cursor = Cursor(text.trimmed)
    _ = cursor.take("*")
    guard cursor.address() != nil, let slash = cursor.rest.place(of: " /") else { return }
    let path = cursor.rest[slash.lowerBound...].trimmed
    builder.paths[path.fileName] = String(path)
  }
}
