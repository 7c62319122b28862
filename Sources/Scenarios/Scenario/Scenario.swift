// The values of a scenario use this vocabulary.
@_exported import RunLoopVocabulary

/// A description of what happens on a run loop: its items, the steps of its thread, and the actions of other threads.
///
/// A value without behaviour. It runs on the real CFRunLoop and on the model (`ScenarioRunners`), in real or in
/// virtual time. Times are nanoseconds. docs/reference/scenarios.md describes the text form.
package struct Scenario: Equatable, Sendable {

  package var name = ""
  /// A description of the scenario for people.
  package var about = ""
  /// The findings that an analysis should have, for people and for tests.
  package var expect: [String] = []
  /// Whether it runs on the main loop, which serves the main queue; otherwise it runs on a thread of its own.
  package var isOnMain = true
  /// Modes that become common, besides the default mode.
  package var commonModes: [String] = []
  package var timers: [Timer] = []
  package var sources: [Source] = []
  package var observers: [Observer] = []
  package var gestures: [Gesture] = []
  package var tasks: [Task] = []
  package var services: [Service] = []
  package var countdowns: [Countdown] = []
  /// The steps of the loop's thread, from beginning to end.
  package var body: [Step] = []
  /// The actions of other threads at given times.
  package var others: [Moment] = []
  /// Further threads, each with its own loop.
  package var workers: [Worker] = []

  package init() {}

  /// Returns the scenario with all times multiplied by `factor`, including work.
  package func scaled(by factor: Double) -> Scenario {
    factor == 1 ? self : Scenario.form.scaled(self, factor)
  }

  /// The time that the loops' threads need at least: the sum of their runs and their own work.
  package var expectedNs: UInt64 {
    ([body] + workers.map(\.body)).map { $0.reduce(0) { $0 + $1.spentNs } }.max() ?? 0
  }

  /// All steps, including those inside others.
  package var allSteps: [Step] { Scenario.form.steps(self).flatMap(\.withInner) }

  /// Whether a step sets the wall clock, which is only done in virtual time.
  package var setsClock: Bool {
    allSteps.contains { if case .setClock = $0 { true } else { false } }
  }

  package struct Timer: Equatable, Sendable {
    package var name = ""
    /// The first due point, counted from the timer's creation.
    package var firstNs: UInt64 = 0
    /// 0 = fires once.
    package var intervalNs: UInt64 = 0
    /// The modes that contain the timer from the start; empty = a step adds it.
    package var modes: [String] = []
    /// How late a fire may be. CFRunLoop on Linux ignores it.
    package var toleranceNs: UInt64 = 0
    /// Whether its starvation while tracking is intended.
    package var isDeferrable = false
    /// Whether its due points are the beginnings of frames.
    package var isFrameSource = false
    package var body: [Step] = []
    package init() {}
  }

  /// A source0.
  package struct Source: Equatable, Sendable {
    package var name: String
    package var order: Int
    package var modes: [String]
    package var body: [Step]

    package init(
      name: String, order: Int = 0, modes: [String] = [ModeName.default], body: [Step] = []
    ) {
      self.name = name
      self.order = order
      self.modes = modes
      self.body = body
    }
  }

  package struct Observer: Equatable, Sendable {
    package var name = ""
    package var activities: [Activity] = []
    package var order = 0
    package var modes: [String] = []
    package var repeats = true
    package var body: [Step] = []
    package init() {}
  }

  /// A finger on a scroll view. Another thread sends touch events; a nested run in the tracking mode lasts from the
  /// first one until the finger lifts.
  package struct Gesture: Equatable, Sendable {
    package var atNs: UInt64 = 0
    package var forNs: UInt64 = 0
    /// The interval between touch events.
    package var everyNs: UInt64 = 0
    /// The work of each touch event: layout and drawing.
    package var body: [Step] = []
  }

  /// A background task. Steps begin and end it, or it expires when its budget is used up.
  package struct Task: Equatable, Sendable {
    package var name = ""
    package var budgetNs: UInt64 = 0
    /// The steps that run on the main queue when the task expires.
    package var onExpiry: [Step] = []
  }

  /// An expensive service, such as location updates. While it is on, another thread delivers fixes through a source0.
  package struct Service: Equatable, Sendable {
    package var name = ""
    package var everyNs: UInt64 = 0
    package var modes: [String] = []
    /// The steps at each fix.
    package var body: [Step] = []
    /// The number of fixes after each start at which `afterFixes` is played, once; 0 = never.
    package var fixes = 0
    package var afterFixes: [Step] = []
  }

  /// A number that the program shows, and that a timer counts down. When the app returns to the foreground, the
  /// program subtracts the fires that the timer lost since its last one.
  package struct Countdown: Equatable, Sendable {
    package var name = ""
    /// The number at the start.
    package var fromNs: UInt64 = 0
    /// The interval of the timer.
    package var everyNs: UInt64 = 0
    package var modes: [String] = []
    /// Whether the program measures the time since the last fire with the wall clock.
    package var usesWallClock = false
    /// Whether a repeated notification of the return subtracts the same fires again.
    package var correctsEachTime = false
  }

  /// A thread with its own loop, which starts with the scenario. Other loops cannot use its items.
  package struct Worker: Equatable, Sendable {
    package var name = ""
    package var commonModes: [String] = []
    package var timers: [Timer] = []
    package var sources: [Source] = []
    /// The steps of the thread, from beginning to end.
    package var body: [Step] = []

    /// The worker as a scenario of its own.
    package var scenario: Scenario {
      var scenario = Scenario()
      scenario.name = name
      scenario.isOnMain = false
      scenario.commonModes = commonModes
      scenario.timers = timers
      scenario.sources = sources
      scenario.body = body
      return scenario
    }
  }

  /// An action of another thread at a given time.
  package struct Moment: Equatable, Sendable {
    package var atNs: UInt64
    /// The interval of repetitions; 0 = once.
    package var everyNs: UInt64
    /// The time after which there are no repetitions.
    package var untilNs: UInt64
    package var body: [Step]

    package init(atNs: UInt64, everyNs: UInt64 = 0, untilNs: UInt64 = 0, body: [Step]) {
      self.atNs = atNs
      self.everyNs = everyNs
      self.untilNs = untilNs
      self.body = body
    }
  }
}
