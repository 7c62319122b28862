import CallStacks

/// The stacks and facts of a text that another tool wrote.
package struct Backtrace: Sendable {
  package let kind: BacktraceKind
  /// The file name of the program that the text is about; nil when the text does not state it.
  package let program: String?
  /// The file name of the program's executable; nil when the text does not have its path.
  package let executable: String?
  /// The threads, in the order of the text; never empty.
  package let threads: [BacktraceThread]
  /// The facts that the text states about the event that it reports, in the order of the text.
  package let facts: [ReportFact]
  /// Sentences about what is missing from the text, and about what was inferred from its data.
  package internal(set) var notes: [String]
  /// For each report in the text, the indices of its threads.
  let reports: [Range<Int>]

  /// The file name of the program's main image: the executable or the program if a frame belongs to it, else the
  /// image called by dyld. Nil = not known.
  package var mainImage: String? {
    let images = Set(reports.flatMap { threads[$0.lowerBound].calls.frames.compactMap(\.image) })
    if let named = [executable, program].compactMap(\.self).first(where: images.contains) { return named }
    for thread in threads {
      var frames = thread.calls.outermost(8)[...]
      guard let first = frames.popFirst(), AppImages.isLoader(first.image) else { continue }
      let inner = frames.drop { AppImages.isLoader($0.image) }
      // In an app extension, dyld calls a system framework, not the main image.
      if let image = inner.first?.image, !AppImages.isSystem(image) { return image }
    }
    return nil
  }
}

/// A thread in a text that another tool wrote.
package struct BacktraceThread: Sendable {
  /// The process or diagnostic that the thread belongs to, in a text about several.
  package var section: String?
  /// The number that the text gives the thread.
  package var number: UInt64?
  /// The thread's id in the system.
  package var id: UInt64?
  package var name: String?
  package var isMain = false
  /// Whether the text blames the thread: it crashed, or the diagnostic is attributed to it.
  package var isAttributed = false
  /// Whether this is the stack of an uncaught exception. The crashed thread only shows that no code caught it.
  package var isLastException = false
  /// The lock that the thread waits for, according to the text.
  package var lock: LockWait?
  /// The line on which the thread begins.
  package let line: Int
  var calls = CallTree()

  init(line: Int) { self.line = line }

  /// Whether the thread waits for a dispatch queue.
  package var waitsForQueue: Bool { calls.hasFunction(LockWait.waitsForQueue) }

  /// The name to show for the thread.
  package var title: String {
    let number = number.map { "thread \($0)" } ?? id.map { "thread 0x" + String($0, radix: 16) } ?? "thread"
    return [section, number, name.map { "\"\($0)\"" }].compactMap(\.self).joined(separator: " ")
  }

  /// Returns the thread's stacks: one, or those that a call tree unfolds into, in the tree's order. Adds the number
  /// of their frames to `unfolded`, which counts those of all threads.
  package func stacks(_ unfolded: inout Int) throws(BacktraceError) -> [CallStack] {
    try calls.stacks(line: line, &unfolded).map { frames, samples in
      CallStack(frames: frames, thread: name, threadID: id, samples: samples)
    }
  }
}

extension Backtrace {
  /// The threads to judge.
  package enum Choice: Sendable, Equatable {
    /// For each process or diagnostic of the text, the thread that the text blames, else the main thread.
    case usual
    case all
    /// The threads with this number, id or name.
    case thread(String)
  }

  /// Returns the chosen threads in the order of the text.
  package func threads(_ choice: Choice) -> [BacktraceThread] { places(choice).map { threads[$0] } }

  /// Returns the indices of the chosen threads in `threads`.
  package func places(_ choice: Choice) -> [Int] {
    switch choice {
    case .all: Array(threads.indices)
    case .thread(let word): threads.indices.filter { threads[$0].isCalled(word) }
    case .usual: reports.flatMap(usual)
    }
  }

  private func usual(of report: Range<Int>) -> [Int] {
    var order: [String?] = []
    var sections: [String?: [Int]] = [:]
    for place in report {
      let section = threads[place].section
      if sections[section] == nil { order.append(section) }
      sections[section, default: []].append(place)
    }
    // In a dump of all processes, only the process that the dump was made for.
    if kind == .spindump {
      order = [
        order.first { section in program.map { section?.hasPrefix("\($0) [") ?? false } ?? false } ?? order[0]
      ]
    }
    return order.compactMap { section in
      let all = sections[section] ?? []
      if let exception = all.first(where: { threads[$0].isLastException }) { return exception }
      let attributed = all.filter { threads[$0].isAttributed }
      return attributed.count > 1
        ? attributed.first { threads[$0].isMain } ?? attributed[0]
        : attributed.first ?? all.first { threads[$0].isMain } ?? all.first
    }
  }
}

extension BacktraceThread {
  func isCalled(_ word: String) -> Bool {
    if let name, name == word { return true }
    if let number, String(number) == word { return true }
    guard let id else { return false }
    return word == String(id) || word.lowercased() == "0x" + String(id, radix: 16)
  }
}
