/// The code of an event. Codes that this version does not know are legal: they are skipped and counted.
@frozen public struct EventKind: RawRepresentable, Hashable, Sendable, Comparable {
  public let rawValue: UInt8
  @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }
  @inlinable public init(_ rawValue: UInt8) { self.init(rawValue: rawValue) }
  @inlinable public static func < (a: EventKind, b: EventKind) -> Bool { a.rawValue < b.rawValue }

  // The six activities, stamped by the observer of lowest order (first) and of highest order (last).
  @inlinable public static var entryLow: EventKind { EventKind(1) }
  @inlinable public static var entryHigh: EventKind { EventKind(2) }
  @inlinable public static var beforeTimersLow: EventKind { EventKind(3) }
  @inlinable public static var beforeTimersHigh: EventKind { EventKind(4) }
  @inlinable public static var beforeSourcesLow: EventKind { EventKind(5) }
  @inlinable public static var beforeSourcesHigh: EventKind { EventKind(6) }
  @inlinable public static var beforeWaitingLow: EventKind { EventKind(7) }
  @inlinable public static var beforeWaitingHigh: EventKind { EventKind(8) }
  @inlinable public static var afterWaitingLow: EventKind { EventKind(9) }
  @inlinable public static var afterWaitingHigh: EventKind { EventKind(10) }
  @inlinable public static var exitLow: EventKind { EventKind(11) }
  @inlinable public static var exitHigh: EventKind { EventKind(12) }

  @inlinable public static var runBegin: EventKind { EventKind(16) }
  @inlinable public static var runEnd: EventKind { EventKind(17) }

  // Callouts. An end's code is its begin's plus one.
  @inlinable public static var timerBegin: EventKind { EventKind(20) }
  @inlinable public static var timerEnd: EventKind { EventKind(21) }
  @inlinable public static var source0Begin: EventKind { EventKind(22) }
  @inlinable public static var source0End: EventKind { EventKind(23) }
  @inlinable public static var source1Begin: EventKind { EventKind(24) }
  @inlinable public static var source1End: EventKind { EventKind(25) }
  @inlinable public static var blockBegin: EventKind { EventKind(26) }
  @inlinable public static var blockEnd: EventKind { EventKind(27) }
  @inlinable public static var mainQueueDrainBegin: EventKind { EventKind(28) }
  @inlinable public static var mainQueueDrainEnd: EventKind { EventKind(29) }
  @inlinable public static var mainQueueBlockBegin: EventKind { EventKind(30) }
  @inlinable public static var mainQueueBlockEnd: EventKind { EventKind(31) }
  @inlinable public static var observerBegin: EventKind { EventKind(32) }
  @inlinable public static var observerEnd: EventKind { EventKind(33) }

  @inlinable public static var timerCreate: EventKind { EventKind(40) }
  @inlinable public static var timerAdd: EventKind { EventKind(41) }
  @inlinable public static var timerRemove: EventKind { EventKind(42) }
  @inlinable public static var timerInvalidate: EventKind { EventKind(43) }
  @inlinable public static var timerReschedule: EventKind { EventKind(44) }
  @inlinable public static var timerDue: EventKind { EventKind(45) }

  @inlinable public static var sourceCreate: EventKind { EventKind(48) }
  @inlinable public static var sourceAdd: EventKind { EventKind(49) }
  @inlinable public static var sourceRemove: EventKind { EventKind(50) }
  @inlinable public static var sourceSignal: EventKind { EventKind(51) }
  @inlinable public static var sourceInvalidate: EventKind { EventKind(52) }
  @inlinable public static var blockCreate: EventKind { EventKind(53) }
  @inlinable public static var observerCreate: EventKind { EventKind(54) }

  @inlinable public static var loopCreate: EventKind { EventKind(56) }
  @inlinable public static var loopAddCommonMode: EventKind { EventKind(57) }
  @inlinable public static var loopWakeUp: EventKind { EventKind(58) }
  @inlinable public static var loopStop: EventKind { EventKind(59) }
  @inlinable public static var loopEnd: EventKind { EventKind(60) }

  @inlinable public static var heartbeat: EventKind { EventKind(64) }
  @inlinable public static var processStop: EventKind { EventKind(65) }
  @inlinable public static var processContinue: EventKind { EventKind(66) }
  @inlinable public static var lifeCycle: EventKind { EventKind(67) }
  @inlinable public static var backgroundTaskBegin: EventKind { EventKind(68) }
  @inlinable public static var backgroundTaskEnd: EventKind { EventKind(69) }
  @inlinable public static var backgroundTaskExpired: EventKind { EventKind(70) }
  @inlinable public static var mark: EventKind { EventKind(72) }
  @inlinable public static var imageMap: EventKind { EventKind(73) }
  @inlinable public static var stack: EventKind { EventKind(74) }
  @inlinable public static var serviceBegin: EventKind { EventKind(75) }
  @inlinable public static var serviceEnd: EventKind { EventKind(76) }
  @inlinable public static var intervalBegin: EventKind { EventKind(77) }
  @inlinable public static var intervalEnd: EventKind { EventKind(78) }
  @inlinable public static var lostEvents: EventKind { EventKind(79) }
}
