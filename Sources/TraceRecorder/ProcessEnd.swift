import CRLTraceShims
import TraceFormat

/// When the process behind a spool ended, found out by looking now and then. Thread-safe.
final class ProcessEnd: Sendable {
  private struct State {
    var descriptor: Int32?
    var hasEnded = false
    var moment: ClockReading?
    var told: ProgramEnd?
  }

  private let spool: Spool
  private let state = Locked(State())

  init(of spool: Spool) { self.spool = spool }

  deinit {
    state.withLock { state in
      if let descriptor = state.descriptor, descriptor >= 0 { close(descriptor) }
    }
  }

  /// The end, nil while the process runs, or has not begun.
  var moment: ClockReading? { state.withLock { $0.moment } }

  /// How the process ended, as far as the system reports it to a process that is not its parent; nil = not reported, or
  /// the process runs. Some kernels answer before the parent has waited for the process, some only afterwards: it is
  /// worth asking again.
  func askSystem() -> ProgramEnd? {
    state.withLock { state in
      guard state.hasEnded, state.told == nil else { return state.told }
      var status: Int32 = 0
      if unsafe rlt_process_end_status(
        state.descriptor ?? -1, spool.visibleProgramID, spool.programStart, &status) != 0
      {
        state.told = ProgramEnd(waitStatus: status)
      }
      return state.told
    }
  }

  /// Somebody saw the process end just now, who may have been late.
  func note(_ seen: ClockReading) {
    state.withLock { state in
      guard !state.hasEnded else { return }
      state.hasEnded = true
      state.moment = spool.notedEnd ?? seen
    }
  }

  /// The same, and notes in the spool that it has not: whoever finishes the trace when this process is killed knows how
  /// long the program ran at least. One thread.
  func isOver() -> Bool {
    // From before the look: then it ran.
    let reading = ClockReading.now(usesCycles: spool.usesCycles)
    if look() { return true }
    if spool.visibleProgramID > 0 { spool.noteAlive(reading) }
    return false
  }

  /// Whether it has ended by now.
  func look() -> Bool {
    let hasEnded = state.withLock { state in
      if state.hasEnded { return true }
      let process = spool.visibleProgramID
      guard process > 0 else { return false }
      let descriptor = state.descriptor ?? rlt_process_open(process)
      state.descriptor = descriptor
      switch descriptor {
      case -1: return true
      case -2: return !SpoolRecovery.isAlive(process, began: spool.programStart)
      default: return rlt_process_has_ended(descriptor) != 0
      }
    }
    guard hasEnded else { return false }
    note(.now(usesCycles: spool.usesCycles))
    // The answer may be available only until the parent has waited for the process.
    _ = askSystem()
    return true
  }
}
