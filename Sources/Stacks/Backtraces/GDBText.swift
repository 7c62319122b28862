import CallStacks
import SystemSupport

/// The output of gdb: `bt`, `bt full`, `thread apply all bt`.
///
///     #1  0x0000561809d96290 in load_settings (path=0x7ffc4778aa2c "read", n=42) at stall.c:15
enum GDBText {
  static func isFrame(_ text: Substring) -> Bool {
    var cursor = Cursor(text)
    return cursor.take("#") && cursor.number() != nil && cursor.rest.first == " "
      && !EUStackText.isFrame(text) && !BacktraceSymbols.isFrame(text)
  }

  static func read(_ lines: [Line]) throws(BacktraceError) -> Backtrace {
    var builder = BacktraceBuilder()
    var crashed: UInt64?
    var owners = LockOwners()
    var index = 0
    while index < lines.count {
      let line = lines[index]
      index += 1
      if let thread = thread(line) {
        try builder.begin(thread)
      } else if line.text.hasPrefix("Thread "), line.text.has(" received signal ") {
        var cursor = Cursor(line.text.dropFirst(7))
        crashed = cursor.number()
      } else if isFrame(line.text) {
        let whole = joined(lines, from: &index)
        try add(whole, line.number, to: &builder)
      } else if line.text.hasPrefix("Backtrace stopped: ") || line.text.hasPrefix("(More stack frames follow")
      {
        try builder.addGap(line: line.number)
      } else {
        owners.read(line.text)
      }
    }
    builder.updateAll { thread in
      guard let address = thread.lock?.address, let owner = owners.threads[address] else { return }
      thread.lock?.owner = .thread(owner)
    }
    if let crashed {
      builder.updateAll { $0.isAttributed = $0.number == crashed }
    }
    return try builder.finish(.gdb)
  }

  /// Parses `Thread 2 (Thread 0x7fa9c53436c0 (LWP 5299) "db writer"):`.
  private static func thread(_ line: Line) -> BacktraceThread? {
    guard line.text.hasPrefix("Thread "), line.text.trimmed.hasSuffix("):") else { return nil }
    var cursor = Cursor(line.text.dropFirst(7))
    guard let number = cursor.number(), cursor.take(" (") else { return nil }
    var thread = BacktraceThread(line: line.number)
    thread.number = number
    // gdb numbers threads in the order of their creation.
    thread.isMain = number == 1
    if let mark = cursor.rest.place(of: "LWP ") {
      var id = Cursor(cursor.rest[mark.upperBound...])
      thread.id = id.number()
    }
    if let open = cursor.rest.firstIndex(of: "\""), let close = cursor.rest.lastIndex(of: "\""), open < close
    {
      thread.name = cursor.rest[cursor.rest.index(after: open)..<close].orNil
    }
    return thread
  }

  /// Joins the lines of a frame, which gdb may have broken at the width of the terminal. `index`: the line after its
  /// first.
  private static func joined(_ lines: [Line], from index: inout Int) -> Substring {
    var whole = lines[index - 1].text
    var count = 1
    while index < lines.count, count < BacktraceLimits.brokenLines, lines[index].text.hasPrefix("   ") {
      let next = lines[index].text.trimmed
      let isRest = next.hasPrefix("at ") || next.hasPrefix("from ")
      guard isRest || !isBalanced(whole), !whole.has(") at "), !whole.has(") from ") else { break }
      whole = whole.trimmed + " " + next
      index += 1
      count += 1
    }
    return whole
  }

  private static func isBalanced(_ text: Substring) -> Bool {
    var depth = 0
    for byte in text.utf8 {
      if byte == UInt8(ascii: "(") { depth += 1 }
      if byte == UInt8(ascii: ")") { depth -= 1 }
    }
    return depth <= 0
  }

  private static func add(
    _ text: Substring, _ line: Int, to builder: inout BacktraceBuilder
  ) throws(BacktraceError) {
    var cursor = Cursor(text.dropFirst())
    let number = cursor.number() ?? 0
    // `bt` alone prints no thread; frame 0 begins a new one.
    if !builder.hasThread || number == 0 && builder.frameCount > 0 {
      var thread = BacktraceThread(line: line)
      thread.isMain = !builder.hasThread
      try builder.begin(thread)
    }
    guard number == UInt64(builder.frameCount) else {
      throw BacktraceError(line, "expected frame \(builder.frameCount), but found frame \(number)")
    }
    cursor.blanks()
    var frame = StackFrame()
    frame.address = cursor.address()
    if frame.address != nil {
      cursor.blanks()
      guard cursor.take("in ") else {
        throw BacktraceError(line, "frame \(number) has no function", isHalfLine: true)
      }
    } else {
      frame.isInlined = number > 0
    }
    let (name, rest) = split(cursor.rest.trimmed)
    guard !name.isEmpty else {
      throw BacktraceError(line, "frame \(number) has no function", isHalfLine: true)
    }
    frame.symbol = name == "??" ? nil : String(name)
    if rest.hasPrefix("at ") {
      (frame.file, frame.line) = rest.dropFirst(3).sourcePlace
    } else if rest.hasPrefix("from ") {
      frame.imagePath = String(rest.dropFirst(5))
      frame.image = rest.dropFirst(5).fileName
    }
    if name.hasPrefix("<signal handler") { frame.isMarkedSystem = true }
    if let lock = lock(text), LockWait.waits(in: String(name)) {
      builder.update { $0.lock = $0.lock ?? lock }
    }
    try builder.add(frame, line: line)
  }

  /// Parses `mutex=mutex@entry=0x561f250b20a0 <a>`.
  private static func lock(_ text: Substring) -> LockWait? {
    for key in ["mutex=", "rwlock=", "futex="] {
      guard let mark = text.place(of: key) else { continue }
      var cursor = Cursor(text[mark.upperBound...])
      // `@entry` marks the value at the call of the function.
      _ = cursor.take("\(key.dropLast())@entry=")
      guard let address = cursor.address() else { continue }
      let name = cursor.take(" <") ? cursor.rest.prefix { $0 != ">" }.orNil : nil
      return LockWait(address: address, name: name)
    }
    return nil
  }

  /// The owners of locks, if the user printed the locks in gdb.
  private struct LockOwners {
    /// The id of the owning thread, by the lock's address.
    private(set) var threads: [UInt64: UInt64] = [:]
    /// The address of the lock whose members are being printed.
    private var open: UInt64?

    mutating func read(_ text: Substring) {
      if text.hasPrefix("0x") { return readWords(text) }
      // first = @0x561f250b20a0: {<std::__mutex_base> = {_M_mutex = {__data = {__lock = 2, __count = 0, __owner = 5299, …
      if let mark = text.lastPlace(of: " = @0x") {
        var cursor = Cursor(text[mark.upperBound...])
        cursor = Cursor("0x" + cursor.rest)
        open = cursor.address()
      }
      guard let address = open, let mark = text.place(of: "__owner = ") else { return }
      var cursor = Cursor(text[mark.upperBound...])
      threads[address] = cursor.number()
      open = nil
    }

    /// Parses the words of a glibc mutex from `x/3dw`: 0x561f250b20e0 <b>:  2  0  5299
    private mutating func readWords(_ text: Substring) {
      var cursor = Cursor(text)
      guard let address = cursor.address(), let colon = cursor.rest.firstIndex(of: ":") else { return }
      let words = cursor.rest[colon...].dropFirst().split { $0 == "\t" || $0 == " " }
      guard words.count >= 3, let owner = UInt64(words[2]), owner > 0 else { return }
      threads[address] = owner
    }
  }

  /// Splits off the function's name; returns it and the text after the parentheses of its arguments. Names may have
  /// parentheses themselves, and strings among the arguments may hold anything.
  private static func split(_ text: Substring) -> (name: Substring, rest: Substring) {
    let arguments = argumentsBegin(in: text) ?? text.endIndex
    let name = text[..<arguments].trimmed
    guard arguments != text.endIndex else { return (name, "") }
    var depth = 0
    var isQuoted = false
    var isEscaped = false
    for index in text[arguments...].indices {
      let character = text[index]
      if isEscaped {
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else if character == "\"" {
        isQuoted.toggle()
      } else if !isQuoted {
        if character == "(" { depth += 1 }
        if character == ")" { depth -= 1 }
        if depth == 0 { return (name, text[text.index(after: index)...].trimmed) }
      }
    }
    return (name, "")
  }

  /// Returns the parenthesis that opens the arguments. It follows a space; those of parameter types do not, except in
  /// template arguments.
  private static func argumentsBegin(in text: Substring) -> Substring.Index? {
    var depth = 0
    var templates = 0
    var previous: Character = "("
    // The first candidate, used when a `<` does not belong to a template.
    var first: Substring.Index?
    for index in text.indices {
      switch text[index] {
      case "(" where depth == 0 && previous == " " && !text[index...].hasPrefix("(anonymous namespace)"):
        if templates == 0 { return index }
        first = first ?? index
        depth += 1
      case "(": depth += 1
      case ")": depth -= 1
      case "<" where !text[..<index].hasSuffix("operator") && !text[..<index].hasSuffix("operator<"):
        templates += 1
      case ">" where previous != "-" && templates > 0: templates -= 1
      default: break
      }
      previous = text[index]
    }
    return first
  }
}
