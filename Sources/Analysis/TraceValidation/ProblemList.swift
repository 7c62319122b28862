import TraceFormat

/// The problems of intact blocks, up to a limit.
struct ProblemList {
  private(set) var problems: [Problem] = []
  private(set) var omitted: UInt64 = 0
  private let limit: Int
  /// The block that is being checked.
  var block = 0
  var entry: BlockEntry?

  init(limit: Int) { self.limit = limit }

  /// The fault of all problems, listed or not; nil = there are none.
  var fault: Fault? { problems.isEmpty && omitted == 0 ? nil : .illegal }

  var isFull: Bool { problems.count >= limit }

  mutating func add(_ time: UInt64?, _ what: @autoclosure () -> String) {
    guard let entry, !isFull else {
      omitted += 1
      return
    }
    problems.append(
      Problem(
        fault: .illegal, what: what(), block: block, offset: entry.offset, time: time, thread: entry.thread))
  }
}
