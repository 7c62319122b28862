import CRLTraceShims
import TraceFormat

/// A thread that sleeps until the next beat, repeatedly, and notes how late it wakes. A late beat is evidence that
/// the process or the machine did not run.
///
/// A beat in time notes nothing. A child made by fork has no such thread.
final class Heartbeat: @unchecked Sendable {
  /// The time between two beats.
  static let intervalNs: UInt64 = 20_000_000
  /// The fact that gives readers the interval, from which they interpret a late beat.
  static let fact = InfoEntry(key: InfoEntry.heartbeat, value: "\(intervalNs)")

  private let notes: RecorderNotes
  private let usesCycles: Bool
  private let cpuNs: @Sendable () -> UInt64?
  private let isOver: @Sendable () -> Bool
  /// Guards `isEnded`.
  private let condition = Condition()
  private var isEnded = false
  /// The beat before the first one. The start of the thread itself may be what is late.
  private let beginning: Beat
  private var thread: NativeThread?

  struct Beat {
    var clocks: ClockReading
    /// The CPU time of the recorded process so far.
    var cpuNs: UInt64?
    /// How long the beating thread has waited for a processor so far; nil = not known.
    var waitedNs: UInt64?
    /// The time that the system has been asleep so far.
    var asleepNs: UInt64 { clocks.boottimeNs &- clocks.monotonicNs }
  }

  /// Starts the thread.
  ///
  /// `cpuNs` returns the CPU time that the recorded process has used so far, or nil if it is not known. It is called
  /// here and on the thread. `isOver` returns whether the process has ended; beats after its end are not noted.
  init(
    notes: RecorderNotes, usesCycles: Bool, isOver: @escaping @Sendable () -> Bool = { false },
    cpuNs: @escaping @Sendable () -> UInt64?
  ) throws(RecordingError) {
    self.notes = notes
    self.usesCycles = usesCycles
    self.cpuNs = cpuNs
    self.isOver = isOver
    beginning = Beat(clocks: .now(usesCycles: usesCycles), cpuNs: cpuNs())
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

    var before = beginning
    var dueNs = before.clocks.monotonicNs + Heartbeat.intervalNs
    var isStopped = false
    while !isStopped {
      isStopped = sleep(until: dueNs)
      if isOver() { return }
      var now = Beat(clocks: .now(usesCycles: usesCycles), cpuNs: cpuNs())
      var waitedNs: UInt64 = 0
      if unsafe rlt_thread_waited_ns(&waitedNs) != 0 { now.waitedNs = waitedNs }
      if let note = Heartbeat.note(now, after: before, dueNs: dueNs) { notes.add(note) }
      before = now
      dueNs += Heartbeat.intervalNs
      // Missed beats are skipped.
      if dueNs <= now.clocks.monotonicNs { dueNs = now.clocks.monotonicNs + Heartbeat.intervalNs }
    }
  }

  /// Returns the note about a beat that was due at `dueNs` of the monotonic clock, or nil if it was in time.
  static func note(_ now: Beat, after before: Beat, dueNs: UInt64) -> RecorderNote? {
    let lateNs = now.clocks.monotonicNs - min(now.clocks.monotonicNs, dueNs)
    // The monotonic clock stops while the system sleeps, so sleep makes no beat late. The difference of the clocks
    // shows it.
    let sleptNs = Int64(bitPattern: now.asleepNs &- before.asleepNs)
    var note = RecorderNote(moment: now.clocks, event: nil, clocks: [before.clocks, now.clocks])
    guard lateNs >= SuspensionSign.lateBeatNs else {
      return sleptNs >= Int64(SuspensionSign.lateBeatNs) ? note : nil
    }
    var arguments = [lateNs]
    // If the thread waited for a processor, something else was computing. So the process was not suspended, even if
    // it had nothing to do.
    let waitedNs = now.waitedNs.map { $0 - min($0, before.waitedNs ?? 0) } ?? 0
    if let used = now.cpuNs, let usedBefore = before.cpuNs, used >= usedBefore {
      arguments.append(used - usedBefore + min(waitedNs, lateNs))
    } else if waitedNs >= lateNs / 2 {
      arguments.append(min(waitedNs, lateNs))
    }
    note.event = RecorderNote.Event(kind: .heartbeat, arguments: arguments)
    return note
  }
}
