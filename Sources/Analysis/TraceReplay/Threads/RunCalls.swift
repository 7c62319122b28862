/// The recorded calls to run loops on one thread: why they returned, and which of them returned without a run.
///
/// CFRunLoopRunInMode for a mode without sources, timers and blocks returns at once and calls no observer.
package struct RunCalls {
  /// Why the calls to run one mode returned.
  package struct Returns {
    package var loop: LoopID
    package var mode: ModeID
    package fileprivate(set) var counts: [RunResult: UInt64] = [:]
    /// The number of calls that returned without a run.
    package fileprivate(set) var empty: UInt64 = 0
  }

  package struct Empty {
    package var loop: LoopID
    package var mode: ModeID
    package var count: UInt64
    package var start: Moment
    package var end: Moment
    /// The longest time limit of these calls; all ones = no limit.
    package var longestTimeoutNs: UInt64
  }

  /// In order of first use. A program has few modes. Calls without a row are counted.
  private(set) var empty: [Empty] = []
  private(set) var returns: [Returns] = []
  /// The row indexes by loop and mode.
  private var placeOfEmpty: [Key: Int] = [:]
  private var placeOfReturns: [Key: Int] = [:]

  private struct Key: Hashable {
    let loop: LoopID
    let mode: ModeID
  }

  /// The open calls, with the number of entries on the thread when each was made.
  private var open: [(begin: Moment, entries: UInt64, timeoutNs: UInt64)] = []
  private var entries: UInt64 = 0
  private let rows: RowRoom
  private let emptyRows: RowRoom

  init(rows: RowRoom, emptyRows: RowRoom) {
    self.rows = rows
    self.emptyRows = emptyRows
  }

  /// Notes the entry of a run. Returns the time limit of its call; nil = the call was not recorded.
  mutating func entry() -> UInt64? {
    defer { entries &+= 1 }
    guard let call = open.last, call.entries == entries else { return nil }
    return call.timeoutNs
  }

  mutating func begin(at time: Moment, timeoutNs: UInt64) {
    guard open.count < AnalysisLimits.nesting else { return }
    open.append((time, entries, timeoutNs))
  }

  mutating func end(_ stamp: Stamp, result: UInt64) {
    let call = open.popLast()
    let isEmpty = call?.entries == entries
    note(stamp, RunResult(rawValue: Int(truncatingIfNeeded: result)), isEmpty: isEmpty)
    guard let call, isEmpty else { return }
    let key = Key(loop: stamp.loop, mode: stamp.mode)
    if let at = placeOfEmpty[key] {
      empty[at].count &+= 1
      empty[at].end = max(empty[at].end, stamp.time)
      empty[at].longestTimeoutNs = max(empty[at].longestTimeoutNs, call.timeoutNs)
    } else if emptyRows.take() {
      placeOfEmpty[key] = empty.count
      empty.append(
        Empty(
          loop: stamp.loop, mode: stamp.mode, count: 1, start: call.begin,
          end: max(stamp.time, call.begin), longestTimeoutNs: call.timeoutNs))
    }
  }

  private mutating func note(_ stamp: Stamp, _ result: RunResult?, isEmpty: Bool) {
    guard let result else { return }
    guard let at = placeOfReturns[Key(loop: stamp.loop, mode: stamp.mode)] ?? newRow(stamp) else { return }
    returns[at].counts[result, default: 0] &+= 1
    if isEmpty { returns[at].empty &+= 1 }
  }

  private mutating func newRow(_ stamp: Stamp) -> Int? {
    guard rows.take() else { return nil }
    returns.append(Returns(loop: stamp.loop, mode: stamp.mode))
    placeOfReturns[Key(loop: stamp.loop, mode: stamp.mode)] = returns.count - 1
    return returns.count - 1
  }

  /// Forgets the open calls: their ends may be among lost events.
  mutating func forgetOpen() { open = [] }

  /// Forgets the rows. Open calls continue.
  mutating func beginWindow() {
    empty = []
    returns = []
    placeOfEmpty = [:]
    placeOfReturns = [:]
  }
}
