import TraceFormat

/// What one mode of one loop on one thread adds up to.
package struct ModeCell {
  package let lane: Int
  package let loop: UInt32
  package let mode: UInt8
  /// By `Phase.rawValue`.
  package var phases = PhaseTimes()
  package var passes: UInt64 = 0
  package var pass = DurationCounts()
  package var wake = DurationCounts()
  package var runs: UInt64 = 0
  package var nestedRuns: UInt64 = 0
  /// Passes that did not wait.
  package var polls: UInt64 = 0
  /// Between low and high stamps, by the activity's phase: the program's own observers.
  package var observers = PhaseTimes()
  /// Waits that ended, and those of them after which nothing but observers ran.
  package var wakes: UInt64 = 0
  package var emptyWakes: UInt64 = 0
  /// Not part of `phases`.
  package var suspended: UInt64 = 0
  /// Of the busy intervals that began in the mode.
  package var busy = BusyLengths()

  init(lane: Int, loop: UInt32, mode: UInt8) {
    self.lane = lane
    self.loop = loop
    self.mode = mode
  }
}

/// The cells of all modes, at addresses that stay. Cells beyond the limit share the last one.
package final class ModeTable {
  package let cells: UnsafeMutablePointer<ModeCell>
  package private(set) var count = 0
  package private(set) var isOverfull = false

  init() {
    // SAFETY: `cell` never hands out more than `modeRows` + 1 cells; they live as long as the table.
    cells = .allocate(capacity: AnalysisLimits.modeRows + 1)
  }

  deinit {
    for i in 0..<count {
      cells[i].pass.deallocate()
      cells[i].wake.deallocate()
      cells[i].busy.deallocate()
    }
    cells.deinitialize(count: count)
    cells.deallocate()
  }

  /// The cell of a mode. O(cells); called when a run begins.
  func cell(lane: Int, loop: UInt32, mode: UInt8) -> UnsafeMutablePointer<ModeCell> {
    for i in 0..<count where cells[i].mode == mode && cells[i].loop == loop && cells[i].lane == lane {
      return cells + i
    }
    if count > AnalysisLimits.modeRows {
      isOverfull = true
      return cells + AnalysisLimits.modeRows
    }
    let isLast = count == AnalysisLimits.modeRows
    (cells + count).initialize(
      to: isLast ? ModeCell(lane: -1, loop: 0, mode: 0) : ModeCell(lane: lane, loop: loop, mode: mode))
    isOverfull = isOverfull || isLast
    count += 1
    return cells + count - 1
  }

  /// Forgets what was counted, not which modes there are.
  func reset() {
    for i in 0..<count {
      cells[i].pass.deallocate()
      cells[i].wake.deallocate()
      cells[i].busy.deallocate()
      cells[i] = ModeCell(lane: cells[i].lane, loop: cells[i].loop, mode: cells[i].mode)
    }
  }
}
