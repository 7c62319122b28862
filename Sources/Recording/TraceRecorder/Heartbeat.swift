import CRLTraceShims
import TraceFormat

/// Notes beats that come late: evidence that the process or the machine did not run. A beat that is on time
/// is not noted.
///
/// Not thread-safe: one thread beats.
final class Heartbeat: @unchecked Sendable {
  private let notes: RecorderNotes
  private let usesCycles: Bool
  private let cpuNs: @Sendable () -> UInt64?
  /// At first, the moment of the creation. The start of the thread itself may be what is late.
  private var before: Beat

  struct Beat {
    var clocks: ClockReading
    /// The CPU time of the recorded process so far.
    var cpuNs: UInt64?
    /// How long the beating thread has waited for a processor so far; nil = not known.
    var waitedNs: UInt64?
    /// The time that the system has been asleep so far.
    var asleepNs: UInt64 { clocks.boottimeNs &- clocks.monotonicNs }
  }

  /// `cpuNs` returns the CPU time that the recorded process has used so far, or nil if it is not known. It is called
  /// here and at each beat.
  init(notes: RecorderNotes, usesCycles: Bool, cpuNs: @escaping @Sendable () -> UInt64?) {
    self.notes = notes
    self.usesCycles = usesCycles
    self.cpuNs = cpuNs
    before = Beat(clocks: .now(usesCycles: usesCycles), cpuNs: cpuNs())
  }

  /// Returns the fact that states the maximum interval between two beats. Readers need it to interpret a late beat.
  static func fact(intervalNs: UInt64) -> InfoEntry {
    InfoEntry(key: InfoEntry.heartbeat, value: "\(intervalNs)")
  }

  /// Beats. `dueNs`: the moment of the monotonic clock at which the thread wanted to wake.
  func beat(dueNs: UInt64) {
    var now = Beat(clocks: .now(usesCycles: usesCycles), cpuNs: cpuNs())
    var waitedNs: UInt64 = 0
    if unsafe rlt_thread_waited_ns(&waitedNs) != 0 { now.waitedNs = waitedNs }
    if let note = Heartbeat.note(now, after: before, dueNs: dueNs) { notes.add(note) }
    before = now
  }

  /// Returns the note about a beat that was due at `dueNs` of the monotonic clock, or nil if it was on time.
  static func note(_ now: Beat, after before: Beat, dueNs: UInt64) -> RecorderNote? {
    let lateNs = now.clocks.monotonicNs - min(now.clocks.monotonicNs, dueNs)
    // The monotonic clock stops while the system sleeps, so sleep does not make a beat late. The difference between
    // the clocks shows the sleep.
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
