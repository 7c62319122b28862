/// The calls for runs on one thread, as far as they are recorded: which of them came back without a run.
///
/// CFRunLoopRunInMode of a mode without sources, timers and blocks returns at once, and tells no observer.
package struct RunCalls {
  package struct Empty {
    package var loop: LoopID
    package var mode: ModeID
    package var count: UInt64
    package var start: Moment
    package var end: Moment
  }

  /// In the order in which they came first. A program has few modes; beyond the limit nothing is noted.
  private(set) var empty: [Empty] = []
  /// Those under way, and how many entries the thread had when each was called.
  private var open: [(begin: Moment, entries: UInt64)] = []
  private var entries: UInt64 = 0

  mutating func entry() { entries &+= 1 }

  mutating func begin(at time: Moment) {
    guard open.count < AnalysisLimits.nesting else { return }
    open.append((time, entries))
  }

  mutating func end(_ stamp: Stamp) {
    guard let call = open.popLast(), call.entries == entries else { return }
    if let at = empty.firstIndex(where: { $0.loop == stamp.loop && $0.mode == stamp.mode }) {
      empty[at].count &+= 1
      empty[at].end = max(empty[at].end, stamp.time)
    } else if empty.count < AnalysisLimits.modeRows {
      empty.append(
        Empty(
          loop: stamp.loop, mode: stamp.mode, count: 1, start: call.begin, end: max(stamp.time, call.begin)))
    }
  }

  /// What is open goes on.
  mutating func beginWindow() { empty = [] }
}
