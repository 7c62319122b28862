/// The app's life cycle as the app reported it, and its effect on timers.
package struct LifeCycleResult: Sendable {
  package var phases: [PhaseSpan] = []
  package var stays: [Stay] = []
  package var tasks: [Task] = []
  /// The time that all tasks used, and the background time during which at least one task was open.
  package var tasksUsedNs: UInt64 = 0
  package var tasksCoveredNs: UInt64 = 0
  package var services: [Service] = []
  /// Spans in the background with neither a task nor a service; empty when the trace records no tasks and no
  /// services.
  package var unprotected: [Span] = []
  package var unprotectedNs: UInt64 = 0
  package var timers: [TimerLoss] = []
  /// The number of marks, tasks and services beyond the limit.
  package var omitted: UInt64 = 0
  package init() {}

  /// Whether the app reported neither phases nor tasks nor services.
  package var isEmpty: Bool { phases.isEmpty && tasks.isEmpty && services.isEmpty }

  package struct PhaseSpan: Sendable {
    package var phase = LifePhase.launching
    package var startNs: UInt64 = 0
    package var durationNs: UInt64 = 0
    /// The profile's limit; nil without a profile, or when the profile has none for the phase.
    package var limitNs: UInt64?
    /// The longest busy interval in the phase.
    package var longestBusyNs: UInt64 = 0
    /// For launching: what the thread did when the limit was reached and no loop ran; nil if the limit was not
    /// reached.
    package var atLimit: LimitStack?
    package init() {}
  }

  /// A stay in the background.
  package struct Stay: Sendable {
    package var startNs: UInt64 = 0
    package var durationNs: UInt64 = 0
    /// The duration by the wall clock and by the boot-time clock; nil without sync points around the stay.
    package var wallNs: Int64?
    package var bootNs: UInt64?
    package var suspendedNs: UInt64 = 0
    /// Repeated marks of leaving or returning. Compensation counts each of them once.
    package var doubledMarks: UInt64 = 0
    /// Whether the app was still in the background at the end of the span.
    package var isOpen: Bool = false
    package init() {}

    /// How far the wall clock was set forward during the stay; negative = back. Nil = less than a second, which is what
    /// the system corrects all the time, or not known.
    package var clockSetNs: Int64? {
      guard let wallNs, let bootNs else { return nil }
      let (setNs, isBeyond) = wallNs.subtractingReportingOverflow(Int64(clamping: bootNs))
      return isBeyond || setNs.magnitude < Self.leastClockStepNs ? nil : setNs
    }

    private static let leastClockStepNs: UInt64 = 1_000_000_000
  }

  package struct Task: Sendable {
    package var name: String = ""
    package var startNs: UInt64 = 0
    package var usedNs: UInt64 = 0
    /// The budget that the system reported; 0 = none.
    package var budgetNs: UInt64 = 0
    package var outcome = Outcome.open
    package var leftNs: UInt64 { budgetNs > usedNs ? budgetNs - usedNs : 0 }

    package enum Outcome: String, Sendable { case ended, expired, open }
    package init() {}
  }

  /// `dutyCycle` is the time for which the service was on, divided by the span.
  package typealias Service = (name: String, onNs: UInt64, starts: UInt64, dutyCycle: Double)

  package typealias Span = (startNs: UInt64, durationNs: UInt64)

  /// `lost` is the number of fires that the timer lost while the process was suspended. `compensationNs` is how
  /// far a clock that counts its fires has fallen behind. Add it when the app returns.
  package typealias TimerLoss = (name: String, lost: UInt64, compensationNs: UInt64)
}
