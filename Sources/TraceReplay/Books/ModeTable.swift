import TraceFormat

/// What one mode of one loop on one thread adds up to.
package struct ModeCell: ~Copyable {
  package let lane: Int
  package let loop: LoopID
  package let mode: ModeID
  /// When the last pass began, among runs that are over or that a nested run interrupted.
  var lastPass = Moment.origin
  /// By `Phase.rawValue`.
  package var phases = PhaseTimes()
  package var passes: UInt64 = 0
  package var pass = DurationCounts()
  package var wake = DurationCounts()
  package var runs: UInt64 = 0
  package var nestedRuns: UInt64 = 0
  /// Passes that did not wait, and among them the only passes of poll runs.
  package var polls: UInt64 = 0
  package var pollRuns: UInt64 = 0
  package var emptyPolls = EmptyPolls()
  /// Between low and high stamps, by the activity's phase: the program's own observers.
  package var observers = PhaseTimes()
  /// Waits that ended, and those of them after which nothing but observers ran.
  package var wakes: UInt64 = 0
  package var emptyWakes: UInt64 = 0
  /// Not part of `phases`.
  package var suspended = Length.zero
  /// Of the busy intervals that began in the mode.
  package var busy = BusyLengths()
}

/// The cells of all modes, at addresses that stay. Cells beyond the limit share the last one.
package final class ModeTable {
  package let cells = Rows<ModeCell>(capacity: AnalysisLimits.modeRows + 1)
  package private(set) var isOverfull = false
  /// The cells behind the first few, which are searched. Most programs have no others.
  private var places: [Key: Int] = [:]
  private static let searched = 4

  private struct Key: Hashable {
    let lane: Int
    let loop: LoopID
    let mode: ModeID
  }

  /// The cell of a mode; called when a run begins.
  func cell(lane: Int, loop: LoopID, mode: ModeID) -> RowAddress<ModeCell> {
    for i in 0..<min(cells.count, ModeTable.searched)
    where cells[i].mode == mode && cells[i].loop == loop && cells[i].lane == lane { return cells.address(i) }
    let key = Key(lane: lane, loop: loop, mode: mode)
    if let known = places[key] { return cells.address(known) }
    isOverfull = isOverfull || cells.count >= AnalysisLimits.modeRows
    if cells.count < AnalysisLimits.modeRows {
      if cells.count >= ModeTable.searched { places[key] = cells.count }
      cells.append(ModeCell(lane: lane, loop: loop, mode: mode))
    } else if cells.count == AnalysisLimits.modeRows {
      cells.append(ModeCell(lane: -1, loop: LoopID(.none), mode: .outside))
    }
    return cells.address(cells.count - 1)
  }

  /// Forgets what was counted, not which modes there are.
  func reset() {
    for i in 0..<cells.count {
      cells[i] = ModeCell(
        lane: cells[i].lane, loop: cells[i].loop, mode: cells[i].mode, lastPass: cells[i].lastPass)
    }
  }
}
