import CallStacks

/// What a text of another origin holds.
public struct Backtrace: Sendable {
  public let kind: BacktraceKind
  /// The file name of the program that it is about, where it says so.
  public let program: String?
  /// The file name of its executable, where the text has the path.
  public let executable: String?
  /// In the order of the text; never empty.
  public let threads: [BacktraceThread]
  /// What the text states of the event that it was made for, in its order.
  public let facts: [ReportFact]
  /// What is missing of the text, and what was decided from its data, in words.
  public internal(set) var notes: [String]
  /// Of several reports in one text, the places of each one's threads.
  let reports: [Range<Int>]

  /// The file name of the program's main image: the executable or the program if a frame is of it, else the outermost
  /// image behind dyld. Nil = not known.
  public var mainImage: String? {
    let images = Set(reports.flatMap { threads[$0.lowerBound].calls.frames.compactMap(\.image) })
    if let named = [executable, program].compactMap(\.self).first(where: images.contains) { return named }
    for thread in threads {
      var frames = thread.calls.outermost(8)[...]
      guard let first = frames.popFirst(), AppImages.isLoader(first.image) else { continue }
      let inner = frames.drop { AppImages.isLoader($0.image) }
      // In an app extension, a framework of the system stands there.
      if let image = inner.first?.image, !AppImages.isSystem(image) { return image }
    }
    return nil
  }
}

/// A thread of such a text.
public struct BacktraceThread: Sendable {
  /// Of a text about several processes or diagnostics, which of them.
  public var section: String?
  /// As the text numbers it.
  public var number: UInt64?
  /// In the system.
  public var id: UInt64?
  public var name: String?
  public var isMain = false
  /// The text blames it: it crashed, or the diagnostic is attributed to it.
  public var isAttributed = false
  /// The stack of an uncaught exception. The crashed thread shows only that no code caught it.
  public var isLastException = false
  /// What the text says of the lock that it waits for.
  public var lock: LockWait?
  /// Where it begins in the text.
  public let line: Int
  var calls = CallTree()

  init(line: Int) { self.line = line }

  /// What to call it.
  public var title: String {
    let number = number.map { "thread \($0)" } ?? id.map { "thread 0x" + String($0, radix: 16) } ?? "thread"
    return [section, number, name.map { "\"\($0)\"" }].compactMap(\.self).joined(separator: " ")
  }

  /// What it was seen doing: one stack, or those that a tree of calls unfolds into, in the tree's order.
  /// `unfolded`: how many frames those of other threads have, to which its own are added.
  public func stacks(_ unfolded: inout Int) throws(BacktraceError) -> [CallStack] {
    try calls.stacks(line: line, &unfolded).map { frames, samples in
      CallStack(frames: frames, thread: name, threadID: id, samples: samples)
    }
  }
}

extension Backtrace {
  /// Which threads are judged.
  public enum Choice: Sendable, Equatable {
    /// Of each process or diagnostic that the text is about, the one that it blames, else the main thread.
    case usual
    case all
    /// By number, id or name.
    case thread(String)
  }

  /// In the order of the text.
  public func threads(_ choice: Choice) -> [BacktraceThread] { places(choice).map { threads[$0] } }

  /// Their places in `threads`.
  public func places(_ choice: Choice) -> [Int] {
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
    // Of a dump of all processes, the one that it was made for.
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
