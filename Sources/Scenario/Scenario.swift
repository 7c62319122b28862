// The values of a scenario use this vocabulary.
@_exported import RunLoopVocabulary

/// A description of what happens on a run loop: its items, the steps of its thread, and the actions of other threads.
///
/// A value without behaviour. It runs on the real CFRunLoop and on the model (`ScenarioRunners`), in real or in
/// virtual time. Times are nanoseconds. docs/reference/scenarios.md describes the text form.
public struct Scenario: Equatable, Sendable {

  public var name = ""
  /// A description of the scenario for people.
  public var about = ""
  /// The findings that an analysis should have, for people and for tests.
  public var expect: [String] = []
  /// Whether it runs on the main loop, which serves the main queue; otherwise it runs on a thread of its own.
  public var isOnMain = true
  /// Modes that become common, besides the default mode.
  public var commonModes: [String] = []
  public var timers: [Timer] = []
  public var sources: [Source] = []
  public var observers: [Observer] = []
  public var gestures: [Gesture] = []
  public var tasks: [Task] = []
  public var services: [Service] = []
  /// The steps of the loop's thread, from beginning to end.
  public var body: [Step] = []
  /// The actions of other threads at given times.
  public var others: [Moment] = []
  /// Further threads, each with its own loop.
  public var workers: [Worker] = []

  public init() {}

  /// Returns the scenario with all times multiplied by `factor`, including work.
  public func scaled(by factor: Double) -> Scenario {
    factor == 1 ? self : Scenario.form.scaled(self, factor)
  }

  /// The time that the loops' threads need at least: the sum of their runs and their own work.
  public var expectedNs: UInt64 {
    ([body] + workers.map(\.body)).map { $0.reduce(0) { $0 + $1.spentNs } }.max() ?? 0
  }

  /// All steps, including those inside others.
  public var allSteps: [Step] { Scenario.form.steps(self).flatMap(\.withInner) }

  public struct Timer: Equatable, Sendable {
    public var name = ""
    /// The first due point, counted from the timer's creation.
    public var firstNs: UInt64 = 0
    /// 0 = fires once.
    public var intervalNs: UInt64 = 0
    /// The modes that contain the timer from the start; empty = a step adds it.
    public var modes: [String] = []
    /// How late a fire may be. CFRunLoop on Linux ignores it.
    public var toleranceNs: UInt64 = 0
    /// Whether its starvation while tracking is intended.
    public var isDeferrable = false
    public var body: [Step] = []
    package init() {}
  }

  /// A source0.
  public struct Source: Equatable, Sendable {
    public var name: String
    public var order: Int
    public var modes: [String]
    public var body: [Step]

    public init(
      name: String, order: Int = 0, modes: [String] = [ModeName.default], body: [Step] = []
    ) {
      self.name = name
      self.order = order
      self.modes = modes
      self.body = body
    }
  }

  public struct Observer: Equatable, Sendable {
    public var name = ""
    public var activities: [Activity] = []
    public var order = 0
    public var modes: [String] = []
    public var repeats = true
    public var body: [Step] = []
    package init() {}
  }

  /// A finger on a scroll view. Another thread sends touch events; a nested run in the tracking mode lasts from the
  /// first one until the finger lifts.
  public struct Gesture: Equatable, Sendable {
    public var atNs: UInt64 = 0
    public var forNs: UInt64 = 0
    /// The interval between touch events.
    public var everyNs: UInt64 = 0
    /// The work of each touch event: layout and drawing.
    public var body: [Step] = []
  }

  /// A background task. Steps begin and end it, or it expires when its budget is used up.
  public struct Task: Equatable, Sendable {
    public var name = ""
    public var budgetNs: UInt64 = 0
    /// The steps that run on the main queue when the task expires.
    public var onExpiry: [Step] = []
  }

  /// An expensive service, such as location updates. While it is on, another thread delivers fixes through a source0.
  public struct Service: Equatable, Sendable {
    public var name = ""
    public var everyNs: UInt64 = 0
    public var modes: [String] = []
    /// The steps at each fix.
    public var body: [Step] = []
    /// The number of fixes after each start at which `afterFixes` is played, once; 0 = never.
    public var fixes = 0
    public var afterFixes: [Step] = []
  }

  /// A thread with its own loop, which starts with the scenario. Other loops cannot use its items.
  public struct Worker: Equatable, Sendable {
    public var name = ""
    public var commonModes: [String] = []
    public var timers: [Timer] = []
    /// The steps of the thread, from beginning to end.
    public var body: [Step] = []

    /// The worker as a scenario of its own.
    public var scenario: Scenario {
      var scenario = Scenario()
      scenario.name = name
      scenario.isOnMain = false
      scenario.commonModes = commonModes
      scenario.timers = timers
      scenario.body = body
      return scenario
    }
  }

  /// An action of another thread at a given time.
  public struct Moment: Equatable, Sendable {
    public var atNs: UInt64
    /// The interval of repetitions; 0 = once.
    public var everyNs: UInt64
    /// The time after which there are no repetitions.
    public var untilNs: UInt64
    public var body: [Step]

    public init(atNs: UInt64, everyNs: UInt64 = 0, untilNs: UInt64 = 0, body: [Step]) {
      self.atNs = atNs
      self.everyNs = everyNs
      self.untilNs = untilNs
      self.body = body
    }
  }
}
