import CallStacks

/// Texts with stacks, and the verdicts on their threads.
package struct StackReport: Sendable {
  /// A judged thread, or the judged threads of several texts together.
  package struct Thread: Sendable {
    /// The thread's name in messages.
    package let title: String
    package let section: String?
    package let number: UInt64?
    package let id: UInt64?
    package let name: String?
    /// The line of the text where it begins.
    package let line: Int
    package let verdict: StackVerdict

    package init(
      title: String, section: String?, number: UInt64?, id: UInt64?, name: String?, line: Int,
      verdict: StackVerdict
    ) {
      self.title = title
      self.section = section
      self.number = number
      self.id = id
      self.name = name
      self.line = line
      self.verdict = verdict
    }
  }

  /// A thread of the text, judged or not, with the lock that it waits for.
  package struct Waiter: Sendable {
    package let title: String
    package let section: String?
    package let id: UInt64?
    package let isMain: Bool
    /// Nil = it waits for no lock that the text mentions.
    package let lock: LockWait?

    package init(title: String, section: String?, id: UInt64?, isMain: Bool, lock: LockWait?) {
      self.title = title
      self.section = section
      self.id = id
      self.isMain = isMain
      self.lock = lock
    }
  }

  /// A statement of the text itself.
  package struct Statement: Sendable {
    package let section: String?
    /// A name for programs; `words` is for people.
    package let subject: String
    package let words: String
    package let value: String
    package let meaning: String?

    package init(section: String?, subject: String, words: String, value: String, meaning: String?) {
      self.section = section
      self.subject = subject
      self.words = words
      self.value = value
      self.meaning = meaning
    }

    /// Returns the statement with the text's name in its section, for a report on several texts.
    package func of(_ file: String) -> Statement {
      Statement(
        section: section.map { "\(file) \($0)" } ?? file, subject: subject, words: words, value: value,
        meaning: meaning)
    }
  }

  /// One of several texts that are judged together.
  package struct Part: Sendable {
    package let file: String
    package let verdict: StackVerdict

    package init(file: String, verdict: StackVerdict) {
      self.file = file
      self.verdict = verdict
    }
  }

  /// The texts, as the user named them.
  package let files: [String]
  /// The format of the texts: a name for programs, and words for people.
  package let format: String
  package let formatWords: String
  /// The program that the texts describe.
  package let program: String?
  package let threads: [Thread]
  /// The number of threads that were not judged.
  package let otherThreads: Int
  package var statements: [Statement] = []
  /// Data that the texts lack, and decisions that were made from their data.
  package var notes: [String] = []
  /// If several texts are judged together: the verdict on each.
  package var parts: [Part] = []
  /// All threads of the text; empty for several texts.
  let waiters: [Waiter]
  /// For each waiter, the index of the thread for which it waits; nil = not known.
  let owners: [Int?]
  /// Indices of threads that wait for each other's locks.
  let deadlocks: [[Int]]

  package init(
    files: [String], format: String, formatWords: String, program: String?, threads: [Thread],
    otherThreads: Int,
    waiters: [Waiter]
  ) {
    self.files = files
    self.format = format
    self.formatWords = formatWords
    self.program = program
    self.threads = threads
    self.otherThreads = otherThreads
    self.waiters = waiters
    let finder = OwnerFinder(waiters)
    owners = waiters.indices.map { finder.owner(of: $0) }
    deadlocks = LockCircles(owners: owners).circles
  }

  /// The number of texts whose verdict blames a function; nil for one text.
  func parts(blaming frame: StackFrame?) -> Int? {
    parts.isEmpty ? nil : parts.count { $0.verdict.main?.frame?.identity == frame?.identity }
  }

  /// Finds the owners of locks among the threads. A text may have thousands of threads.
  private struct OwnerFinder {
    private struct Key: Hashable {
      let section: String?
      let id: UInt64
    }

    private let waiters: [Waiter]
    private var byID: [Key: Int] = [:]
    private var mains: [String?: Int] = [:]

    init(_ waiters: [Waiter]) {
      self.waiters = waiters
      for (place, waiter) in waiters.enumerated().reversed() {
        if let id = waiter.id { byID[Key(section: waiter.section, id: id)] = place }
        if waiter.isMain { mains[waiter.section] = place }
      }
    }

    func owner(of place: Int) -> Int? {
      let section = waiters[place].section
      return switch waiters[place].lock?.owner {
      case .thread(let id): byID[Key(section: section, id: id)]
      case .mainThread: mains[section]
      case .itself: place
      case nil: nil
      }
    }
  }
}
