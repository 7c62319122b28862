import CallStacks
import SystemSupport

/// Collects the threads, frames and facts that a reader finds, within the limits.
struct BacktraceBuilder {
  private(set) var threads: [BacktraceThread] = []
  private var table = FrameTable()
  /// The frames of the current stack, innermost first, as indices in the table.
  private var frames: [Int] = []
  private var count = 0
  /// The line on which the previous thread begins, if it has no frames.
  private var emptyThread: Int?
  /// The images that the report lists.
  var images = ReportImages()
  var program: String?
  /// The file name of the program's executable; nil when the report does not have its path.
  var executable: String?
  /// The facts that the report states.
  private(set) var facts: [ReportFact] = []
  /// Notes on what is missing from the text, and on what was inferred from its data.
  private(set) var notes: [String] = []
  private var noted: Set<String> = []

  /// Whether there is a current thread.
  var hasThread: Bool { !threads.isEmpty }
  /// The number of frames of the current stack.
  var frameCount: Int { frames.count }

  /// Begins a thread. Drops the previous thread if it has no frames, because reports list idle threads that way.
  mutating func begin(_ thread: BacktraceThread) throws(BacktraceError) {
    try end()
    guard threads.count < BacktraceLimits.threads else {
      throw BacktraceError(thread.line, "more than \(BacktraceLimits.threads) threads")
    }
    threads.append(thread)
  }

  mutating func update(_ change: (inout BacktraceThread) -> Void) {
    guard !threads.isEmpty else { return }
    change(&threads[threads.count - 1])
  }

  mutating func updateAll(_ change: (inout BacktraceThread) -> Void) {
    for index in threads.indices { change(&threads[index]) }
  }

  mutating func add(_ fact: ReportFact) {
    guard facts.count < BacktraceLimits.facts, !facts.contains(fact) else { return }
    facts.append(fact)
  }

  mutating func add(_ facts: [ReportFact]) { for fact in facts { add(fact) } }

  /// Adds a note. `once`: the subject of the note, if only the first note about it is kept.
  mutating func note(_ words: String, once: String? = nil) {
    guard notes.count < BacktraceLimits.facts, noted.insert(once ?? words).inserted else { return }
    notes.append(words)
  }

  /// Adds the next outer frame.
  mutating func add(_ frame: StackFrame, line: Int) throws(BacktraceError) {
    try countCall(line)
    guard frames.count < BacktraceLimits.deepestTree else {
      throw BacktraceError(line, "more than \(BacktraceLimits.deepestTree) nested calls")
    }
    frames.append(try table.place(of: frame, line: line))
  }

  /// Notes that frames are missing behind the last one. If it starts its thread, none are.
  mutating func addGap(line: Int) throws(BacktraceError) {
    guard let last = frames.last else { return }
    var frame = table.frames[last]
    guard !frame.startsThread, !frame.isAtGap else { return }
    frame.isAtGap = true
    frames[frames.count - 1] = try table.place(of: frame, line: line)
  }

  /// Adds a call to the current thread's tree. Returns its index.
  mutating func add(
    _ frame: StackFrame, calledBy parent: Int?, samples: UInt64?, line: Int
  ) throws(BacktraceError) -> Int {
    try countCall(line)
    let place = try table.place(of: frame, line: line)
    return try threads[threads.count - 1].calls.add(place, calledBy: parent, samples: samples, line: line)
  }

  private mutating func countCall(_ line: Int) throws(BacktraceError) {
    count += 1
    guard count <= BacktraceLimits.calls else {
      throw BacktraceError(line, "more than \(BacktraceLimits.calls) calls")
    }
  }

  /// Whether the current thread has no calls.
  var isEmpty: Bool { frames.isEmpty && (threads.last?.calls.isEmpty ?? true) }

  private mutating func end() throws(BacktraceError) {
    emptyThread = nil
    guard let last = threads.last else { return }
    if isEmpty {
      emptyThread = last.line
      threads.removeLast()
    } else {
      try threads[threads.count - 1].calls.add(stack: frames, line: last.line)
    }
    frames = []
  }

  /// Ends the last thread and returns the backtrace. `isWhole`: the sections after the stacks exist, so that the
  /// last stack is complete.
  mutating func finish(
    _ kind: BacktraceKind, isWhole: Bool = false
  ) throws(BacktraceError) -> Backtrace {
    try end()
    if let emptyThread, !isWhole || threads.isEmpty {
      guard !threads.isEmpty else {
        throw BacktraceError(
          emptyThread, "a thread begins here, but it has no frames; is the text cut off?")
      }
      note("the thread that begins on line \(emptyThread) has no frames: the text may be cut off")
    }
    guard !threads.isEmpty else {
      throw BacktraceError(0, "no stack follows in this \(kind.words); is the text cut off?")
    }
    images.sort()
    let frames = table.frames.map(images.resolved)
    for index in threads.indices { threads[index].calls.frames = frames }
    return Backtrace(
      kind: kind, program: program, executable: executable, threads: threads, facts: facts, notes: notes,
      reports: [threads.indices])
  }
}
