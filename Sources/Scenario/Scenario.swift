// Its values are in these words.
@_exported import RunLoopVocabulary

/// What happens on a run loop: the items that stand in it, what its thread does, and what other threads do to it.
///
/// A value without behaviour: it runs on the real CFRunLoop and on the model (`ScenarioRunners`), in real or in virtual
/// time. Times are nanoseconds. Its text form: docs/scenarios.md.
public struct Scenario: Equatable, Sendable {

  public var name = ""
  /// For people: what it shows.
  public var about = ""
  /// What an analysis is expected to find, for people and for tests.
  public var expect: [String] = []
  /// On the main loop, which serves the main queue; else on a thread of its own.
  public var isOnMain = true
  /// Modes that become common, besides the default mode.
  public var commonModes: [String] = []
  public var timers: [Timer] = []
  public var sources: [Source] = []
  public var observers: [Observer] = []
  public var gestures: [Gesture] = []
  public var tasks: [Task] = []
  public var services: [Service] = []
  /// What the loop's thread does, from beginning to end.
  public var body: [Step] = []
  /// What other threads do, at moments.
  public var others: [Moment] = []
  /// Further threads with a loop each.
  public var workers: [Worker] = []

  public init() {}

  /// All times `factor` times as long, work included.
  public func scaled(by factor: Double) -> Scenario {
    factor == 1 ? self : Scenario.form.scaled(self, factor)
  }

  /// How long the loops' threads need at least: what they run and spend themselves.
  public var expectedNs: UInt64 {
    ([body] + workers.map(\.body)).map { $0.reduce(0) { $0 + $1.spentNs } }.max() ?? 0
  }

  /// Every step, and those inside others.
  public var allSteps: [Step] { Scenario.form.steps(self).flatMap(\.withInner) }

  public struct Timer: Equatable, Sendable {
    public var name = ""
    /// The first due point, from its creation on.
    public var firstNs: UInt64 = 0
    /// 0 = fires once.
    public var intervalNs: UInt64 = 0
    /// Modes it is in from the start; none = somebody adds it.
    public var modes: [String] = []
    /// How late a fire may be; CFRunLoop on Linux makes no use of it.
    public var toleranceNs: UInt64 = 0
    /// Its starvation while tracking is meant.
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

  /// A finger on a scroll view: touch events from another thread, and a nested run in the tracking mode from the first one
  /// until it lifts.
  public struct Gesture: Equatable, Sendable {
    public var atNs: UInt64 = 0
    public var forNs: UInt64 = 0
    /// Between touch events.
    public var everyNs: UInt64 = 0
    /// What each touch event costs: layout and drawing.
    public var body: [Step] = []
  }

  /// A background task: begun and ended by steps, or expired when its budget is used up.
  public struct Task: Equatable, Sendable {
    public var name = ""
    public var budgetNs: UInt64 = 0
    /// On the main queue, when it expires.
    public var onExpiry: [Step] = []
  }

  /// An expensive service, as location updates are: while it is on, another thread delivers fixes through a source0.
  public struct Service: Equatable, Sendable {
    public var name = ""
    public var everyNs: UInt64 = 0
    public var modes: [String] = []
    /// At each fix.
    public var body: [Step] = []
    /// So many fixes after it was started, `afterFixes` is done, once; 0 = never.
    public var fixes = 0
    public var afterFixes: [Step] = []
  }

  /// A thread with a loop of its own, from the scenario's beginning on. Nothing that it has is known to other loops.
  public struct Worker: Equatable, Sendable {
    public var name = ""
    public var commonModes: [String] = []
    public var timers: [Timer] = []
    /// What the thread does, from beginning to end.
    public var body: [Step] = []

    /// By itself.
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

  /// What another thread does at a moment.
  public struct Moment: Equatable, Sendable {
    public var atNs: UInt64
    /// And again each time so much later; 0 = once.
    public var everyNs: UInt64
    /// No more behind this moment.
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
