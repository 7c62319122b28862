import CRLTraceShims
import SystemSupport

/// Finds out, by polling, when the process behind a spool ended. Thread-safe.
final class ProcessEnd: Sendable {
  private struct State {
    var descriptor: Int32?
    var hasEnded = false
    var moment: ClockReading?
    var reported: ProgramEnd?
  }

  private let spool: Spool
  private let state = Locked(State())

  init(of spool: Spool) { self.spool = spool }

  deinit {
    state.withLock { state in
      if let descriptor = state.descriptor, descriptor >= 0 { close(descriptor) }
    }
  }

  /// The moment of the end; nil while the process runs or has not begun.
  var moment: ClockReading? { state.withLock { $0.moment } }

  /// Returns how the process ended, if the system reports it to a process that is not its parent. Nil = not reported,
  /// or the process still runs. Some kernels answer before the parent has waited for the process, some only
  /// afterwards, so asking again can help.
  func askSystem() -> ProgramEnd? {
    state.withLock { state in
      guard state.hasEnded, state.reported == nil else { return state.reported }
      var status: Int32 = 0
      if unsafe rlt_process_end_status(
        state.descriptor ?? -1, spool.visibleProgramID, spool.programStart, &status) != 0
      {
        state.reported = ProgramEnd(waitStatus: status)
      }
      return state.reported
    }
  }

  /// Notes that another part of the recorder saw the process end just now, perhaps late.
  func note(_ seen: ClockReading) {
    state.withLock { state in
      guard !state.hasEnded else { return }
      state.hasEnded = true
      state.moment = spool.notedEnd ?? seen
    }
  }

  /// Returns whether the process has ended. If not, notes in the spool that it is alive: if this process is killed, the
  /// recovery knows the minimum time that the program ran. Call it from one thread only.
  func isOver() -> Bool {
    // Taken before the check: if the check finds the process running, it ran at that moment.
    let reading = ClockReading.now(usesCycles: spool.usesCycles)
    if look() { return true }
    if spool.visibleProgramID > 0 { spool.noteAlive(reading) }
    return false
  }

  /// Returns whether the process has ended by now.
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
    // The system may answer only until the parent has waited for the process.
    _ = askSystem()
    return true
  }
}
