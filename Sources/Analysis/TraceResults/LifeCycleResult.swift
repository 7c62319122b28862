/// The app's life cycle as the app reported it, and its effect on timers.
public struct LifeCycleResult: Sendable {
  public var phases: [PhaseSpan] = []
  public var stays: [Stay] = []
  public var tasks: [Task] = []
  /// The time that all tasks used, and the background time during which at least one task was open.
  public var tasksUsedNs: UInt64 = 0
  public var tasksCoveredNs: UInt64 = 0
  public var services: [Service] = []
  /// Spans in the background with neither a task nor a service; empty when the trace records no tasks and no
  /// services.
  public var unprotected: [Span] = []
  public var unprotectedNs: UInt64 = 0
  public var timers: [TimerLoss] = []
  /// The number of marks, tasks and services beyond the limit.
  public var omitted: UInt64 = 0
  public init() {}

  /// Whether the app reported neither phases nor tasks nor services.
  public var isEmpty: Bool { phases.isEmpty && tasks.isEmpty && services.isEmpty }

  public struct PhaseSpan: Sendable {
    public var phase = LifePhase.launching
    public var startNs: UInt64 = 0
    public var durationNs: UInt64 = 0
    /// The profile's limit; nil without a profile, or when the profile has none for the phase.
    public var limitNs: UInt64?
    /// The longest busy interval in the phase.
    public var longestBusyNs: UInt64 = 0
    /// For launching: what the thread did when the limit was reached and no loop ran; nil if the limit was not
    /// reached.
    public var atLimit: LimitStack?
    package init() {}
  }

  /// A stay in the background.
  public struct Stay: Sendable {
    public var startNs: UInt64 = 0
    public var durationNs: UInt64 = 0
    /// The duration by the wall clock and by the boot-time clock; nil without sync points around the stay.
    public var wallNs: Int64?
    public var bootNs: UInt64?
    public var suspendedNs: UInt64 = 0
    /// Repeated marks of leaving or returning. Compensation counts each of them once.
    public var doubledMarks: UInt64 = 0
    /// Whether the app was still in the background at the end of the span.
    public var isOpen: Bool = false
    package init() {}
  }

  public struct Task: Sendable {
    public var name: String = ""
    public var startNs: UInt64 = 0
    public var usedNs: UInt64 = 0
    /// The budget that the system reported; 0 = none.
    public var budgetNs: UInt64 = 0
    public var outcome = Outcome.open
    public var leftNs: UInt64 { budgetNs > usedNs ? budgetNs - usedNs : 0 }

    public enum Outcome: String, Sendable { case ended, expired, open }
    package init() {}
  }

  /// `dutyCycle` is the time for which the service was on, divided by the span.
  public typealias Service = (name: String, onNs: UInt64, starts: UInt64, dutyCycle: Double)

  public typealias Span = (startNs: UInt64, durationNs: UInt64)

  /// `lost` is the number of fires that the timer lost while the process was suspended. `compensationNs` is how
  /// far a clock that counts its fires has fallen behind. Add it when the app returns.
  public typealias TimerLoss = (name: String, lost: UInt64, compensationNs: UInt64)
}
