import CallStacks

/// Collects what a reader finds, within the limits.
struct BacktraceBuilder {
  private(set) var threads: [BacktraceThread] = []
  private var table = FrameTable()
  /// Of the stack under way, innermost first, as places in the table.
  private var frames: [Int] = []
  private var count = 0
  /// Where the last thread begins, when it has no frames.
  private var emptyThread: Int?
  /// The images that the report lists.
  var images = ReportImages()
  var program: String?
  /// The file name of the program's executable, where the report has its path.
  var executable: String?
  /// What the report states.
  private(set) var facts: [ReportFact] = []
  /// What is missing of the text, and what was decided from its data.
  private(set) var notes: [String] = []
  private var noted: Set<String> = []

  /// The thread under way.
  var hasThread: Bool { !threads.isEmpty }
  /// Frames of the stack under way.
  var frameCount: Int { frames.count }

  /// The one before that has no frames is forgotten: reports list idle threads so.
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

  /// `once`: what the note is about, if only the first note about it is given.
  mutating func note(_ words: String, once: String? = nil) {
    guard notes.count < BacktraceLimits.facts, noted.insert(once ?? words).inserted else { return }
    notes.append(words)
  }

  /// The next frame outwards.
  mutating func add(_ frame: StackFrame, line: Int) throws(BacktraceError) {
    try countCall(line)
    guard frames.count < BacktraceLimits.deepestTree else {
      throw BacktraceError(line, "more than \(BacktraceLimits.deepestTree) calls inside each other")
    }
    frames.append(try table.place(of: frame, line: line))
  }

  /// A call of the tree under way.
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

  /// Whether the thread under way has any.
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

  /// `isWhole`: what comes behind the stacks was there, so the last is whole.
  mutating func finish(
    _ kind: BacktraceKind, isWhole: Bool = false
  ) throws(BacktraceError) -> Backtrace {
    try end()
    if let emptyThread, !isWhole || threads.isEmpty {
      guard !threads.isEmpty else {
        throw BacktraceError(
          emptyThread, "here a thread begins, but no frame of it follows; is the text cut off?")
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
