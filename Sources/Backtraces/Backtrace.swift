import CallStacks

/// What a text of another origin holds.
public struct Backtrace: Sendable {
  public let kind: BacktraceKind
  /// The file name of the program that it is about, where it says so.
  public let program: String?
  /// In the order of the text; never empty.
  public let threads: [BacktraceThread]
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
  public func threads(_ choice: Choice) -> [BacktraceThread] {
    switch choice {
    case .all: threads
    case .thread(let word): threads.filter { $0.isCalled(word) }
    case .usual: usual
    }
  }

  private var usual: [BacktraceThread] {
    var order: [String?] = []
    var sections: [String?: [BacktraceThread]] = [:]
    for thread in threads {
      if sections[thread.section] == nil { order.append(thread.section) }
      sections[thread.section, default: []].append(thread)
    }
    // Of a dump of all processes, the one that it was made for.
    if kind == .spindump {
      order = [
        order.first { section in program.map { section?.hasPrefix($0) ?? false } ?? false } ?? order[0]
      ]
    }
    return order.compactMap { section in
      let all = sections[section] ?? []
      let attributed = all.filter(\.isAttributed)
      return attributed.count > 1
        ? attributed.first { $0.isMain } ?? attributed[0]
        : attributed.first ?? all.first { $0.isMain } ?? all.first
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
