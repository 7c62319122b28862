/// The app's own account of its life, and what it meant for its timers.
public struct LifeCycleResult: Sendable {
  public var phases: [PhaseSpan] = []
  public var stays: [Stay] = []
  public var tasks: [Task] = []
  /// What all tasks used, and the time in the background with at least one open.
  public var tasksUsedNs: UInt64 = 0
  public var tasksCoveredNs: UInt64 = 0
  public var services: [Service] = []
  /// In the background with neither task nor service; empty when the trace knows of none at all.
  public var unprotected: [Span] = []
  public var unprotectedNs: UInt64 = 0
  public var timers: [TimerLoss] = []
  /// Marks, tasks and services beyond the limit.
  public var omitted: UInt64 = 0
  public init() {}

  /// Nothing was said.
  public var isEmpty: Bool { phases.isEmpty && tasks.isEmpty && services.isEmpty }

  public struct PhaseSpan: Sendable {
    public var phase = LifePhase.launching
    public var startNs: UInt64 = 0
    public var durationNs: UInt64 = 0
    /// Of the profile; nil without one, or when it has none for the phase.
    public var limitNs: UInt64?
    /// The longest time in it without a wait.
    public var longestBusyNs: UInt64 = 0
    /// Of launching, what the thread did when the limit was reached and no loop ran; nil where it was not reached.
    public var atLimit: LimitStack?
    package init() {}
  }

  /// A stay in the background.
  public struct Stay: Sendable {
    public var startNs: UInt64 = 0
    public var durationNs: UInt64 = 0
    /// By the wall clock and by the boot-time clock; nil without sync points around.
    public var wallNs: Int64?
    public var bootNs: UInt64?
    public var suspendedNs: UInt64 = 0
    /// Marks of leaving or return that came again; compensation counts once.
    public var doubledMarks: UInt64 = 0
    /// Not over at the end of the span.
    public var isOpen: Bool = false
    package init() {}
  }

  public struct Task: Sendable {
    public var name: String = ""
    public var startNs: UInt64 = 0
    public var usedNs: UInt64 = 0
    /// 0 = the system did not say.
    public var budgetNs: UInt64 = 0
    public var outcome = Outcome.open
    public var leftNs: UInt64 { budgetNs > usedNs ? budgetNs - usedNs : 0 }

    public enum Outcome: String, Sendable { case ended, expired, open }
    package init() {}
  }

  /// `dutyCycle`: on ÷ span.
  public typealias Service = (name: String, onNs: UInt64, starts: UInt64, dutyCycle: Double)

  public typealias Span = (startNs: UInt64, durationNs: UInt64)

  /// Fires that a timer lost while the process was suspended; and how late a count of its fires has become, and so what
  /// to add on return.
  public typealias TimerLoss = (name: String, lost: UInt64, compensationNs: UInt64)
}
