import TraceFormat

/// The totals for one mode of one loop on one thread.
package struct ModeCell: ~Copyable {
  package let lane: Int
  package let loop: LoopID
  package let mode: ModeID
  /// When the last pass began, among runs that are over or that a nested run interrupted.
  var lastPass = Moment.origin
  /// Indexed by `Phase.rawValue`.
  package var phases = PhaseTimes()
  /// The complete passes.
  package var pass = DurationCounts()
  package var wake = DurationCounts()
  package var runs: UInt64 = 0
  package var nestedRuns: UInt64 = 0
  /// The number of passes that did not wait, and of those that were the only pass of a poll run.
  package var polls: UInt64 = 0
  package var pollRuns: UInt64 = 0
  /// For an event loop, the calls with the time limit 0 that made no pass.
  package internal(set) var pollsWithoutPass: UInt64 = 0
  package var emptyPolls = EmptyPolls()
  /// The time of the program's own observers: between the low and high stamps, indexed by the activity's phase.
  package var observers = PhaseTimes()
  /// The number of waits that ended, and of those after which only observers ran.
  package var wakes: UInt64 = 0
  package var emptyWakes: UInt64 = 0
  /// Not part of `phases`.
  package var suspended = Length.zero
  /// The busy intervals that began in the mode.
  package var busy = BusyLengths()
}

/// The cells of all modes, at stable addresses. Modes beyond the limit share the last cell.
package final class ModeTable {
  package let cells = Rows<ModeCell>(capacity: AnalysisLimits.modeRows + 1)
  package private(set) var isOverfull = false
  /// The indices of all cells but the first few, which are searched linearly. Most programs have only those.
  private var places: [Key: Int] = [:]
  private static let searched = 4

  private struct Key: Hashable {
    let lane: Int
    let loop: LoopID
    let mode: ModeID
  }

  /// Returns the cell of a mode. Called when a run begins.
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

  /// The lane that ran each loop first.
  package var lanes: [LoopID: Int] {
    let places = (0..<cells.count).filter { cells[$0].lane >= 0 }
    return Dictionary(places.map { (cells[$0].loop, cells[$0].lane) }) { first, _ in first }
  }

  /// Leaves out the time from losses of events to the next activities. It belongs to no phase.
  func leaveUnknownTimeOut() { for i in 0..<cells.count { cells[i].phases[Phase.outside.rawValue] = 0 } }

  /// Forgets all counts and keeps the modes.
  func reset() {
    for i in 0..<cells.count {
      cells[i] = ModeCell(
        lane: cells[i].lane, loop: cells[i].loop, mode: cells[i].mode, lastPass: cells[i].lastPass)
    }
  }
}
