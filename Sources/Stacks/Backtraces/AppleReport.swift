import CallStacks
import SystemSupport

/// A text report of a crash or hang from Apple's systems, or from PLCrashReporter, which writes the same form.
enum AppleReport {
  /// Returns whether the line occurs only in such a report.
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
    /// The text after the colon.
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
    var kind = BacktraceKind.appleReport
    var isLive = false
    var names: [UInt64: String] = [:]
    var isStack = false
    var isImages = false
    // Other sections follow the threads.
    var isWhole = false
    var isInformation = false
    // A termination reason may span several lines.
    var reason: [Substring] = []
    func facts(_ text: Substring) -> [ReportFact] {
      guard let first = reason.first else {
        guard !text.hasPrefix("Termination Reason:") else {
          reason = [text]
          return []
        }
        return ReportFact.ofText(text)
      }
      let isEnd =
        text.trimmed.isEmpty || text.hasPrefix("Trigger") || text.hasPrefix("Terminat") || reason.count > 64
      guard isEnd else {
        reason.append(text)
        return []
      }
      let whole = first + reason.dropFirst().map { "\n" + $0 }.joined()
      reason = []
      return ReportFact.ofText(whole) + ReportFact.ofText(text)
    }
    for line in lines {
      let text = line.text
      if let header = Header(text) {
        if header.isName {
          names[header.number] = name(header.rest)
          continue
        }
        var thread = BacktraceThread(line: line.number)
        thread.number = header.number
        thread.isAttributed = header.isCrashed && !isLive
        thread.name = name(header.rest.drop { $0 == ":" }) ?? names[header.number]
        thread.isMain = header.number == 0
        try builder.begin(thread)
        (isStack, isImages, isInformation) = (true, false, false)
      } else if let extra = extraStack(text) {
        var thread = BacktraceThread(line: line.number)
        thread.name = extra
        thread.isLastException = extra == "last exception"
        try builder.begin(thread)
        (isStack, isImages, isInformation) = (true, false, false)
      } else if text.hasPrefix("Binary Images:") {
        (isStack, isImages, isWhole) = (false, true, true)
      } else if isImages {
        image(text, into: &builder)
      } else if isStack {
        guard !text.trimmed.isEmpty else {
          isStack = builder.isEmpty
          continue
        }
        if let addresses = addresses(text) {
          for address in addresses { try builder.add(StackFrame(address: address), line: line.number) }
          continue
        }
        guard let (number, frame) = try NumberedFrames.frame(line) else {
          isStack = text.trimmed == "..." && !builder.isEmpty
          if isStack { try builder.addGap(line: line.number) }
          isWhole = isWhole || !isStack
          continue
        }
        guard number == UInt64(builder.frameCount) else {
          throw BacktraceError(
            line.number, "expected frame \(builder.frameCount), but found frame \(number)")
        }
        try builder.add(frame, line: line.number)
      } else if let program = program(text) {
        builder.program = program
      } else if let executable = executable(text) {
        builder.executable = executable
      } else if text.hasPrefix("Application Specific Information:") {
        isInformation = true
      } else if isInformation {
        // iOS 12 and earlier state here which task missed its deadline.
        builder.add(TerminationReason.facts(namespace: nil, code: nil, text) + ReportFact.ofDispatch(text))
      } else {
        if PLCrashReport.isType(text) { kind = .plCrashReporter }
        builder.add(facts(text))
        if kind == .plCrashReporter, PLCrashReport.isOfLiveReport(text) {
          isLive = true
          builder.add(PLCrashReport.live)
        }
      }
    }
    return try builder.finish(kind, isWhole: isWhole)
  }

  private static func extraStack(_ text: Substring) -> String? {
    if text.hasPrefix("Last Exception Backtrace:") { return "last exception" }
    return text.hasPrefix("Application Specific Backtrace ") ? "application specific" : nil
  }

  /// Parses `(0x1a3924784 0x1a37e5b60 …)`, an unsymbolicated stack on one or several lines.
  static func addresses(_ text: Substring) -> [UInt64]? {
    let text = text.trimmed
    guard text.hasPrefix("(0x") || text.hasPrefix("0x") else { return nil }
    var addresses: [UInt64] = []
    for word in text.split(whereSeparator: { " \t()".contains($0) }) {
      var cursor = Cursor(word)
      guard let address = cursor.address(), cursor.rest.isEmpty else { return nil }
      addresses.append(address)
    }
    return addresses
  }

  private static func name(_ text: Substring) -> String? {
    let text = text.trimmed
    guard let queue = text.place(of: "Dispatch queue: ") else { return text.orNil }
    return text[..<queue.lowerBound].trimmed.orNil ?? text[queue.upperBound...].trimmed.orNil
  }

  /// Parses `Process:             novellum [50701]`.
  static func program(_ text: Substring) -> String? {
    for key in ["Process:", "Command:"] where text.hasPrefix(key) {
      let value = text.dropFirst(key.count).trimmed
      return (value.lastPlace(of: " [").map { value[..<$0.lowerBound] } ?? value).orNil
    }
    return nil
  }

  /// Parses `Path:                /Applications/novellum.app/Contents/MacOS/novellum`.
  static func executable(_ text: Substring) -> String? {
    guard text.hasPrefix("Path:") else { return nil }
    return text.dropFirst(5).trimmed.fileName
  }

  /// Parses a line of the list of images:
  ///
  ///        0x1044a0000 -        0x1044affff MyApp arm64  <0123…> /private/var/MyApp.app/MyApp
  ///        0x18cd00000 -        0x18e8fffff ???                  <9D233F9C-…>
  static func image(_ text: Substring, into builder: inout BacktraceBuilder) {
    var cursor = Cursor(text.trimmed)
    _ = cursor.take("*")
    guard let base = cursor.address() else { return }
    let path = cursor.rest.place(of: " /").map { String(cursor.rest[$0.lowerBound...].trimmed) }
    var id: String?
    if let open = cursor.rest.firstIndex(of: "<"), let close = cursor.rest[open...].firstIndex(of: ">") {
      id = String(cursor.rest[cursor.rest.index(after: open)..<close])
    }
    builder.images.add(name: nil, path: path, id: id)
    cursor.blanks()
    _ = cursor.take("-")
    cursor.blanks()
    if let last = cursor.address(), last >= base {
      builder.images.add(range: base...last, path: path, id: id)
    }
    cursor.blanks()
    // Old reports name images by the bundle's identifier.
    _ = cursor.take("+")
    if let name = cursor.word().orNil, name.contains(".") {
      builder.images.add(alias: name, path: path, id: id)
    }
  }
}
