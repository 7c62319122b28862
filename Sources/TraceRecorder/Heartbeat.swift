import CRLTraceShims
import TraceFormat

/// A thread that sleeps to the next beat, again and again, and notes how late it wakes: a beat that comes late is
/// evidence that the process, or the machine, did not run.
///
/// A beat in time notes nothing. A child of fork has no such thread.
final class Heartbeat: @unchecked Sendable {
  /// From beat to beat.
  static let intervalNs: UInt64 = 20_000_000
  /// For readers, who conclude from a late beat.
  static let fact = InfoEntry(key: InfoEntry.heartbeat, value: "\(intervalNs)")

  private let notes: RecorderNotes
  private let usesCycles: Bool
  private let cpuNs: @Sendable () -> UInt64?
  private let isOver: @Sendable () -> Bool
  /// Guards `isEnded`.
  private let condition = Condition()
  private var isEnded = false
  /// The beat before the first: the thread's own beginning may be what comes late.
  private let beginning: Beat
  private var thread: NativeThread?

  struct Beat {
    var clocks: ClockReading
    /// CPU time of the recorded process so far.
    var cpuNs: UInt64?
    /// How long the beating thread has waited for a processor so far; nil where that cannot be known.
    var waitedNs: UInt64?
    /// Time that the system was asleep so far.
    var asleepNs: UInt64 { clocks.boottimeNs &- clocks.monotonicNs }
  }

  /// `cpuNs`: the CPU time that the recorded process has used so far, nil where it is not known. Called here and on the
  /// thread. `isOver`: whether the process has ended: what comes late behind that is nothing it suffered.
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

  /// Ends the thread, after what it has to say about the beat under way. A second call does nothing; not thread-safe.
  func stop() {
    guard let thread else { return }
    self.thread = nil
    condition.withLock { isEnded = true }
    condition.signal()
    thread.join()
  }

  /// Sleeps to a moment of the monotonic clock. True at once when the thread is to end.
  private func sleep(until dueNs: UInt64) -> Bool {
    condition.withLock {
      while !isEnded, case let now = rlt_monotonic_ns(), now < dueNs { condition.wait(ns: dueNs - now) }
      return isEnded
    }
  }

  private func run() {
    // The program's signals are for the program's threads.
    var all = sigset_t()
    unsafe sigfillset(&all)
    // A spool that somebody cuts, see `rlt_guard_mapping`.
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
      // What was missed is not made up for.
      if dueNs <= now.clocks.monotonicNs { dueNs = now.clocks.monotonicNs + Heartbeat.intervalNs }
    }
  }

  /// What is to be noted of a beat that was due at `dueNs` of the monotonic clock; nil when it was in time.
  static func note(_ now: Beat, after before: Beat, dueNs: UInt64) -> RecorderNote? {
    let lateNs = now.clocks.monotonicNs - min(now.clocks.monotonicNs, dueNs)
    // The monotonic clock stands still while the system sleeps, so no beat is late for that; the clocks tell.
    let sleptNs = Int64(bitPattern: now.asleepNs &- before.asleepNs)
    var note = RecorderNote(moment: now.clocks, event: nil, clocks: [before.clocks, now.clocks])
    guard lateNs >= SuspensionSign.lateBeatNs else {
      return sleptNs >= Int64(SuspensionSign.lateBeatNs) ? note : nil
    }
    var arguments = [lateNs]
    // A thread that waits for a processor is kept from it by something that computes: then it was no standstill, even
    // when the recorded process had nothing to do.
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
