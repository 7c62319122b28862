/// What happens on a run loop: the items that stand in it, what its thread does, and what other threads do to it.
///
/// A value without behaviour: it runs on the real CFRunLoop and on the model (`ScenarioRunners`), in real or in virtual
/// time. Times are nanoseconds from its start. Its text form: docs/scenarios.md.
public struct Scenario: Equatable, Sendable {
  public static let defaultMode = "kCFRunLoopDefaultMode"
  public static let trackingMode = "UITrackingRunLoopMode"
  public static let commonModes = "kCFRunLoopCommonModes"

  public var name = ""
  /// One line for people.
  public var summary = ""
  /// On the main loop, which serves the main queue; else on a thread of its own.
  public var isOnMain = true
  /// Modes that become common, besides the default mode.
  public var commonModes: [String] = []
  public var timers: [Timer] = []
  public var sources: [Source] = []
  public var observers: [Observer] = []
  /// What the loop's thread does, from beginning to end.
  public var body: [Step] = []
  /// What other threads do, at moments.
  public var others: [Moment] = []

  public init(name: String = "") { self.name = name }

  public struct Timer: Equatable, Sendable {
    public var name: String
    /// The first due point.
    public var firstNs: UInt64
    /// 0 = fires once.
    public var intervalNs: UInt64
    /// Modes it is in from the start; none = somebody adds it.
    public var modes: [String]
    public var body: [Step]

    public init(
      name: String, firstNs: UInt64, intervalNs: UInt64, modes: [String] = [Scenario.defaultMode],
      body: [Step] = []
    ) {
      self.name = name
      self.firstNs = firstNs
      self.intervalNs = intervalNs
      self.modes = modes
      self.body = body
    }
  }

  /// A source0.
  public struct Source: Equatable, Sendable {
    public var name: String
    public var order: Int
    public var modes: [String]
    public var body: [Step]

    public init(
      name: String, order: Int = 0, modes: [String] = [Scenario.defaultMode], body: [Step] = []
    ) {
      self.name = name
      self.order = order
      self.modes = modes
      self.body = body
    }
  }

  public struct Observer: Equatable, Sendable {
    public var name: String
    public var activities: [Activity]
    public var order: Int
    public var modes: [String]
    public var repeats: Bool
    public var body: [Step]

    public init(
      name: String, activities: [Activity], order: Int = 0, modes: [String] = [Scenario.defaultMode],
      repeats: Bool = true, body: [Step] = []
    ) {
      self.name = name
      self.activities = activities
      self.order = order
      self.modes = modes
      self.repeats = repeats
      self.body = body
    }
  }

  public enum Activity: String, CaseIterable, Sendable {
    case entry = "Entry"
    case beforeTimers = "BeforeTimers"
    case beforeSources = "BeforeSources"
    case beforeWaiting = "BeforeWaiting"
    case afterWaiting = "AfterWaiting"
    case exit = "Exit"
  }

  /// What another thread does at a moment.
  public struct Moment: Equatable, Sendable {
    public var atNs: UInt64
    public var body: [Step]

    public init(atNs: UInt64, body: [Step]) {
      self.atNs = atNs
      self.body = body
    }
  }

  /// One thing that a thread does. Items are named.
  public indirect enum Step: Equatable, Sendable {
    /// Keeps the thread busy, or asleep, for a time.
    case work(Work, ns: UInt64)
    /// Runs the loop; nil = without a limit.
    case run(mode: String, forNs: UInt64?, returnsAfterSource: Bool)
    case signal(String)
    case wakeUp
    case stop
    /// CFRunLoopPerformBlock.
    case perform(modes: [String], body: [Step])
    /// A block for the main queue.
    case main([Step])
    case add(String, modes: [String])
    case remove(String, modes: [String])
    case invalidate(String)
    /// Moves a timer's due point to so long from now.
    case reschedule(String, inNs: Int64)
    case addCommonMode(String)
    case mark(String)
  }

  /// How a thread spends time.
  public enum Work: String, CaseIterable, Sendable {
    case cpu, sleep
  }
}
