import CRLTraceShims
import SystemSupport

/// A thread that sleeps until the next beat, repeatedly. It watches another process; a process that records itself
/// beats on its sentinel thread. A child made by fork has no such thread.
final class HeartbeatThread: @unchecked Sendable {
  /// The time between two beats.
  static let intervalNs: UInt64 = 20_000_000

  private let heartbeat: Heartbeat
  private let isOver: @Sendable () -> Bool
  /// Guards `isEnded`.
  private let condition = Condition()
  private var isEnded = false
  private let beganNs = rlt_monotonic_ns()
  private var thread: NativeThread?

  /// Starts the thread. `isOver` returns whether the process has ended; beats after its end are not noted.
  init(_ heartbeat: Heartbeat, isOver: @escaping @Sendable () -> Bool) throws(RecordingError) {
    self.heartbeat = heartbeat
    self.isOver = isOver
    do {
      thread = try NativeThread("rltrace-beat") { self.run() }
    } catch {
      throw .noThread(code: error.code)
    }
  }

  /// Ends the thread after it has noted the current beat. A second call does nothing. Not thread-safe.
  func stop() {
    guard let thread else { return }
    self.thread = nil
    condition.withLock { isEnded = true }
    condition.signal()
    thread.join()
  }

  /// Sleeps until a moment of the monotonic clock. Returns true at once if the thread is to end.
  private func sleep(until dueNs: UInt64) -> Bool {
    condition.withLock {
      while !isEnded, case let now = rlt_monotonic_ns(), now < dueNs { condition.wait(ns: dueNs - now) }
      return isEnded
    }
  }

  private func run() {
    // Signals for the program must be handled by the program's threads.
    var all = sigset_t()
    unsafe sigfillset(&all)
    // SIGBUS stays enabled for a spool that another process truncates, see `rlt_guard_mapping`.
    unsafe sigdelset(&all, SIGBUS)
    unsafe pthread_sigmask(SIG_BLOCK, &all, nil)

    var dueNs = beganNs + HeartbeatThread.intervalNs
    var isStopped = false
    while !isStopped {
      isStopped = sleep(until: dueNs)
      if isOver() { return }
      heartbeat.beat(dueNs: dueNs)
      dueNs += HeartbeatThread.intervalNs
      // Missed beats are skipped.
      let now = rlt_monotonic_ns()
      if dueNs <= now { dueNs = now + HeartbeatThread.intervalNs }
    }
  }
}
