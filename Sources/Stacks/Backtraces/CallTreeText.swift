import CallStacks
import SystemSupport

/// The common part of the call trees of Apple's two tools: one line per call with its samples, indented more than its
/// caller.
struct CallTreeText {
  var builder = BacktraceBuilder()
  /// The callers of the next call, by the column of their samples.
  private var callers: [(column: Int, node: Int)] = []
  /// The largest number of samples of a call of the current thread.
  private var samples: UInt64 = 0

  mutating func begin(_ thread: BacktraceThread) throws(BacktraceError) {
    try builder.begin(thread)
    callers = []
    samples = 0
  }

  /// Notes the lock that the last call waited for in `samples` samples. The thread waits for the lock if these are
  /// more than half of the thread's samples.
  mutating func note(_ lock: LockWait?, _ samples: UInt64) {
    guard let lock, samples > self.samples / 2 else { return }
    builder.update { $0.lock = lock }
  }

  mutating func add(
    _ frame: StackFrame, column: Int, samples: UInt64?, line: Int
  ) throws(BacktraceError) {
    guard samples ?? 0 <= BacktraceLimits.count else {
      throw BacktraceError(line, "more than \(BacktraceLimits.count) samples")
    }
    if !builder.hasThread { try begin(BacktraceThread(line: line)) }
    while let last = callers.last, last.column >= column { callers.removeLast() }
    let node = try builder.add(frame, calledBy: callers.last?.node, samples: samples, line: line)
    callers.append((column, node))
    self.samples = max(self.samples, samples ?? 0)
  }

  /// Parses the samples of a line and returns the text after them. `marks`: the characters that draw the branches in
  /// front.
  static func samples(_ text: Substring, marks: String) -> (column: Int, samples: UInt64, rest: Substring)? {
    let start = text.drop { marks.contains($0) }
    var cursor = Cursor(start)
    let column = text.utf8.distance(from: text.utf8.startIndex, to: start.utf8.startIndex)
    guard let samples = cursor.number(), cursor.rest.first == " " else { return nil }
    cursor.blanks()
    return cursor.rest.isEmpty ? nil : (column, samples, cursor.rest.trimmed)
  }
}

/// The output of `sample` and of Activity Monitor.
///
///     +   8593 ???  (in fig)  load address 0x100770000 + 0x5fec  [0x100775fec]
///     + ! 2556 mach_msg  (in libsystem_kernel.dylib) + 70  [0x7fff93630c42]
enum SampleText {
  private static let marks = " +!:|"

  static func begins(_ text: Substring) -> Bool {
    if text.trimmed == "Call graph:" || text.hasPrefix("Analysis of sampling ") { return true }
    guard let (_, _, rest) = CallTreeText.samples(text, marks: marks) else { return false }
    return rest.hasPrefix("Thread_") || rest.has("  (in ") && rest.has("  [0x")
  }

  static func read(_ lines: [Line]) throws(BacktraceError) -> Backtrace {
    var tree = CallTreeText()
    var isTree = !lines.contains { $0.text.trimmed == "Call graph:" }
    var isImages = false
    for line in lines {
      let text = line.text
      if text.trimmed == "Call graph:" {
        isTree = true
      } else if text.trimmed.hasPrefix("Total number in stack")
        || text.trimmed.hasPrefix("Sort by top of stack")
      {
        isTree = false
      } else if text.trimmed == "Binary Images:" {
        (isTree, isImages) = (false, true)
      } else if isImages {
        AppleReport.image(text, into: &tree.builder)
      } else if let program = AppleReport.program(text) {
        tree.builder.program = program
      } else if let executable = AppleReport.executable(text) {
        tree.builder.executable = executable
      } else if isTree, let (column, samples, rest) = CallTreeText.samples(text, marks: marks) {
        if rest.hasPrefix("Thread_") {
          try tree.begin(thread(rest, line.number))
        } else {
          try tree.add(try frame(rest, line.number), column: column, samples: samples, line: line.number)
        }
      } else if !isTree {
        tree.builder.add(ReportFact.ofDispatch(text))
      }
    }
    return try tree.builder.finish(.sample)
  }

  /// Parses `Thread_1447670   DispatchQueue_1: com.apple.main-thread  (serial)`.
  private static func thread(_ text: Substring, _ line: Int) -> BacktraceThread {
    var thread = BacktraceThread(line: line)
    var cursor = Cursor(text.dropFirst(7))
    thread.number = cursor.number()
    _ = cursor.take(":")
    thread.isMain = cursor.rest.has("com.apple.main-thread") || cursor.rest.trimmed.hasPrefix("Main Thread")
    var name = cursor.rest.trimmed
    if let mark = name.place(of: ": ") { name = name[mark.upperBound...] }
    if name.hasSuffix("(serial)") { name = name.dropLast(8).trimmed }
    thread.name = name.orNil
    return thread
  }

  private static func frame(_ text: Substring, _ line: Int) throws(BacktraceError) -> StackFrame {
    var frame = StackFrame()
    var name = text
    if let image = text.lastPlace(of: "  (in ") {
      name = text[..<image.lowerBound]
      var rest = text[image.upperBound...]
      guard let close = rest.firstIndex(of: ")") else {
        throw BacktraceError(
          line, "the name of an image has no end; is the line cut off?", isHalfLine: true)
      }
      // Image names may have parentheses.
      let end = rest.place(of: ") +")?.lowerBound ?? rest.place(of: ")  ")?.lowerBound ?? close
      frame.image = rest[..<end].orNil
      rest = rest[end...].dropFirst().trimmed
      if let load = rest.place(of: "load address ") {
        var cursor = Cursor(rest[load.upperBound...])
        _ = cursor.address()
        cursor.blanks()
        if cursor.take("+ ") { frame.imageOffset = cursor.address() }
      } else {
        var cursor = Cursor(rest)
        if cursor.take("+ ") { frame.offset = cursor.number() }
      }
      if let address = rest.place(of: "[0x") {
        var cursor = Cursor(rest[address.lowerBound...].dropFirst())
        frame.address = cursor.address()
        if let close = cursor.rest.firstIndex(of: "]") {
          let place = cursor.rest[close...].dropFirst().trimmed
          if !place.isEmpty { (frame.file, frame.line) = place.sourcePlace }
        }
      }
    } else {
      var cursor = Cursor(text)
      frame.address = cursor.address()
    }
    frame.symbol = name.hasPrefix("???") || frame.address != nil && name == text ? nil : String(name.trimmed)
    return frame
  }
}

/// The output of `spindump`, hang reports and microstackshots.
///
///       49  static RedLemonApp.$main() + 35 (RedLemonApp.swift:31,1 in RedLemon + 17460019) [0x10772db33] 1-49
///      *49  hndl_alltraps + 223 (kernel + 39327) [0xffffff800021999f]
enum SpindumpText {
  static func begins(_ text: Substring) -> Bool {
    text.hasPrefix("Heaviest stack for ") || text.hasPrefix("Powerstats for:")
      || text.hasPrefix("Duration Sampled:")
      || isThread(text.trimmed)
  }

  private static func isThread(_ text: Substring) -> Bool {
    var cursor = Cursor(text)
    return cursor.take("Thread ") && cursor.address() != nil && cursor.rest.has(" samples")
  }

  static func read(_ lines: [Line]) throws(BacktraceError) -> Backtrace {
    var tree = CallTreeText()
    var section: String?
    var isImages = false
    let hasThreads = lines.contains { isThread($0.text.trimmed) || $0.text.hasPrefix("Powerstats for:") }
    var isHeaviest = false
    var hasPath = false
    var heaviest: UInt64 = 0
    var chain: [(frame: StackFrame, samples: UInt64, line: Int)] = []
    for line in lines {
      let text = line.text
      let inner = text.trimmed
      if text.hasPrefix("Heaviest stack for ") {
        isHeaviest = !hasThreads && !tree.builder.hasThread
        heaviest = 0
      } else if text.hasPrefix("Process:") || text.hasPrefix("Powerstats for:") {
        section = text.drop { $0 != ":" }.dropFirst().trimmed.orNil
        isImages = false
        if text.hasPrefix("Powerstats for:") {
          var thread = BacktraceThread(line: line.number)
          thread.section = section
          try tree.begin(thread)
        }
      } else if let program = AppleReport.program(text) {
        tree.builder.program = program
      } else if !hasPath, let executable = AppleReport.executable(text) {
        // The process that the report is about comes first.
        (tree.builder.executable, hasPath) = (executable, true)
      } else if isThread(inner) {
        try tree.begin(thread(inner, line.number, section))
      } else if inner == "Binary Images:" {
        isImages = true
      } else if isImages, inner.hasPrefix("0x") || inner.hasPrefix("*0x") {
        AppleReport.image(text, into: &tree.builder)
      } else if isHeaviest || hasThreads && tree.builder.hasThread,
        let (column, samples, rest) = CallTreeText.samples(text, marks: " *")
      {
        var frame = try frame(rest, line.number)
        // The frame is in the kernel.
        if text.utf8.prefix(column).last == UInt8(ascii: "*") { frame.isMarkedSystem = true }
        if isHeaviest {
          // The lines form one chain with side branches. Follow the chain while it has most of the samples.
          heaviest = max(heaviest, samples)
          guard samples > heaviest / 2 else { continue }
          chain.append((frame, samples, line.number))
        } else {
          try tree.add(frame, column: column, samples: samples, line: line.number)
          tree.note(lock(rest, section), samples)
        }
      } else if !tree.builder.hasThread {
        tree.builder.add(ReportFact.ofText(text))
      }
    }
    for (depth, call) in chain.enumerated() {
      let samples = depth == chain.count - 1 ? call.samples : nil
      try tree.add(call.frame, column: depth, samples: samples, line: call.line)
    }
    return try tree.builder.finish(.spindump, isWhole: isImages)
  }

  /// Parses `Thread 0x2ca9e    DispatchQueue "com.apple.main-thread"(1)    Thread name "x"    49 samples (1-49)`.
  private static func thread(_ text: Substring, _ line: Int, _ section: String?) -> BacktraceThread {
    var thread = BacktraceThread(line: line)
    thread.section = section
    var cursor = Cursor(text.dropFirst(7))
    thread.id = cursor.address()
    thread.isMain = cursor.rest.has("com.apple.main-thread") || cursor.rest.has("DispatchQueue 1 ")
    for key in ["Thread name \"", "DispatchQueue \""] where thread.name == nil {
      if let mark = cursor.rest.place(of: key) {
        thread.name = cursor.rest[mark.upperBound...].prefix { $0 != "\"" }.orNil
      }
    }
    return thread
  }

  /// Parses the note on a lock:
  ///
  /// (blocked by turnstile waiting for Planner [27952] thread 0xbed)
  /// (blocked by turnstile waiting for Shelf [520] thread 0xa0f2 after 2 hops)
  /// (blocked by turnstile waiting for this thread - part of a deadlock)
  private static func lock(_ text: Substring, _ section: String?) -> LockWait? {
    // The note may begin with other words: `(suspended, blocked by …`.
    guard let mark = text.lastPlace(of: "blocked by turnstile waiting for "),
      let end = text[mark.upperBound...].lastIndex(of: ")")
    else { return nil }
    var who = text[mark.upperBound..<end]
    var isDeadlock = false
    if let note = who.place(of: " - part of a deadlock") {
      who = who[..<note.lowerBound]
      isDeadlock = true
    }
    var hops: Int?
    if who.hasSuffix(" hops") || who.hasSuffix(" hop"), let after = who.lastPlace(of: " after ") {
      var cursor = Cursor(who[after.upperBound...])
      hops = cursor.number().flatMap { Int(exactly: $0) }
      who = who[..<after.lowerBound]
    }
    if who == "this thread" {
      var wait = LockWait(owner: .itself, hops: hops)
      wait.isDeadlock = isDeadlock
      return wait
    }
    if who.hasSuffix("main thread") {
      // The note has no id for the main thread of another process, so that thread cannot be found.
      let process = who.dropLast(11).trimmed
      let isOwn =
        process.isEmpty || section.map { $0[...].hasPrefix(process.prefix { $0 != "[" }.trimmed) } ?? true
      return isOwn ? LockWait(owner: .mainThread, hops: hops) : nil
    }
    // Other owners are processes.
    guard let thread = who.lastPlace(of: "thread 0x") else { return nil }
    var cursor = Cursor("0x" + who[thread.upperBound...])
    return cursor.address().map { LockWait(owner: .thread($0), hops: hops) }
  }

  private static func frame(_ text: Substring, _ line: Int) throws(BacktraceError) -> StackFrame {
    var frame = StackFrame()
    var rest = text
    if let mark = text.lastPlace(of: " [0x") {
      var cursor = Cursor(text[text.utf8.index(mark.lowerBound, offsetBy: 2)...])
      frame.address = cursor.address()
      rest = text[..<mark.lowerBound].trimmed
    }
    if rest.last == ")", let open = opening(of: rest) {
      var inner = rest[rest.index(after: open)...].dropLast()
      rest = rest[..<open].trimmed
      if let mark = inner.lastPlace(of: " in ") {
        (frame.file, frame.line) = inner[..<mark.lowerBound].sourcePlace
        inner = inner[mark.upperBound...]
      }
      let (image, offset) = inner.withoutOffset
      if image.first == "<", image.last == ">" {
        frame.imageID = image.dropFirst().dropLast().orNil
      } else {
        frame.image = image.orNil
      }
      frame.imageOffset = offset
    }
    let (name, offset) = rest.withoutOffset
    guard !name.isEmpty else {
      throw BacktraceError(line, "a call has no function; is the line cut off?", isHalfLine: true)
    }
    frame.symbol = name == "???" ? nil : String(name)
    frame.offset = offset
    // <patched truncated backtrace>
    if name.first == "<" { frame.isMarkedSystem = true }
    frame.isAtGap = name.hasSuffix("truncated backtrace>")
    return frame
  }

  /// Returns the opening bracket of the last pair.
  private static func opening(of text: Substring) -> Substring.Index? {
    var depth = 0
    for index in text.utf8.indices.reversed() {
      if text.utf8[index] == UInt8(ascii: ")") { depth += 1 }
      if text.utf8[index] == UInt8(ascii: "(") { depth -= 1 }
      if depth == 0 { return index }
    }
    return nil
  }
}
