/// The code of an event. Codes that this version does not know are legal: they are skipped and counted.
public struct EventKind: RawRepresentable, Hashable, Sendable, Comparable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  @inlinable public init(_ rawValue: UInt8) { self.init(rawValue: rawValue) }
  public static func < (a: EventKind, b: EventKind) -> Bool { a.rawValue < b.rawValue }

  // The six activities, stamped by the observer of lowest order (first) and of highest order (last).
  public static let entryLow = EventKind(1)
  public static let entryHigh = EventKind(2)
  public static let beforeTimersLow = EventKind(3)
  public static let beforeTimersHigh = EventKind(4)
  public static let beforeSourcesLow = EventKind(5)
  public static let beforeSourcesHigh = EventKind(6)
  public static let beforeWaitingLow = EventKind(7)
  public static let beforeWaitingHigh = EventKind(8)
  public static let afterWaitingLow = EventKind(9)
  public static let afterWaitingHigh = EventKind(10)
  public static let exitLow = EventKind(11)
  public static let exitHigh = EventKind(12)

  public static let runBegin = EventKind(16)
  public static let runEnd = EventKind(17)

  // Callouts. An end's code is its begin's plus one.
  public static let timerBegin = EventKind(20)
  public static let timerEnd = EventKind(21)
  public static let source0Begin = EventKind(22)
  public static let source0End = EventKind(23)
  public static let source1Begin = EventKind(24)
  public static let source1End = EventKind(25)
  public static let blockBegin = EventKind(26)
  public static let blockEnd = EventKind(27)
  public static let mainQueueDrainBegin = EventKind(28)
  public static let mainQueueDrainEnd = EventKind(29)
  public static let mainQueueBlockBegin = EventKind(30)
  public static let mainQueueBlockEnd = EventKind(31)
  public static let observerBegin = EventKind(32)
  public static let observerEnd = EventKind(33)

  public static let timerCreate = EventKind(40)
  public static let timerAdd = EventKind(41)
  public static let timerRemove = EventKind(42)
  public static let timerInvalidate = EventKind(43)
  public static let timerReschedule = EventKind(44)
  public static let timerDue = EventKind(45)

  public static let sourceCreate = EventKind(48)
  public static let sourceAdd = EventKind(49)
  public static let sourceRemove = EventKind(50)
  public static let sourceSignal = EventKind(51)
  public static let sourceInvalidate = EventKind(52)
  public static let blockCreate = EventKind(53)
  public static let observerCreate = EventKind(54)

  public static let loopCreate = EventKind(56)
  public static let loopAddCommonMode = EventKind(57)
  public static let loopWakeUp = EventKind(58)
  public static let loopStop = EventKind(59)

  public static let heartbeat = EventKind(64)
  public static let processStop = EventKind(65)
  public static let processContinue = EventKind(66)
  public static let lifeCycle = EventKind(67)
  public static let backgroundTaskBegin = EventKind(68)
  public static let backgroundTaskEnd = EventKind(69)
  public static let backgroundTaskExpired = EventKind(70)
  public static let mark = EventKind(72)
  public static let imageMap = EventKind(73)
  public static let stack = EventKind(74)
  public static let lostEvents = EventKind(79)
}
