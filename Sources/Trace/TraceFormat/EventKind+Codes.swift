/// The codes of the events.
extension EventKind {
  // The six activities, stamped by the observer of lowest order (first) and of highest order (last).
  @inlinable package static var entryLow: EventKind { EventKind(1) }
  @inlinable package static var entryHigh: EventKind { EventKind(2) }
  @inlinable package static var beforeTimersLow: EventKind { EventKind(3) }
  @inlinable package static var beforeTimersHigh: EventKind { EventKind(4) }
  @inlinable package static var beforeSourcesLow: EventKind { EventKind(5) }
  @inlinable package static var beforeSourcesHigh: EventKind { EventKind(6) }
  @inlinable package static var beforeWaitingLow: EventKind { EventKind(7) }
  @inlinable package static var beforeWaitingHigh: EventKind { EventKind(8) }
  @inlinable package static var afterWaitingLow: EventKind { EventKind(9) }
  @inlinable package static var afterWaitingHigh: EventKind { EventKind(10) }
  @inlinable package static var exitLow: EventKind { EventKind(11) }
  @inlinable package static var exitHigh: EventKind { EventKind(12) }

  @inlinable package static var runBegin: EventKind { EventKind(16) }
  @inlinable package static var runEnd: EventKind { EventKind(17) }

  // Callouts. An end's code is its begin's plus one.
  @inlinable package static var timerBegin: EventKind { EventKind(20) }
  @inlinable package static var timerEnd: EventKind { EventKind(21) }
  @inlinable package static var source0Begin: EventKind { EventKind(22) }
  @inlinable package static var source0End: EventKind { EventKind(23) }
  @inlinable package static var source1Begin: EventKind { EventKind(24) }
  @inlinable package static var source1End: EventKind { EventKind(25) }
  @inlinable package static var blockBegin: EventKind { EventKind(26) }
  @inlinable package static var blockEnd: EventKind { EventKind(27) }
  @inlinable package static var mainQueueDrainBegin: EventKind { EventKind(28) }
  @inlinable package static var mainQueueDrainEnd: EventKind { EventKind(29) }
  @inlinable package static var mainQueueBlockBegin: EventKind { EventKind(30) }
  @inlinable package static var mainQueueBlockEnd: EventKind { EventKind(31) }
  @inlinable package static var observerBegin: EventKind { EventKind(32) }
  @inlinable package static var observerEnd: EventKind { EventKind(33) }

  // Slices of work, and waits for queues.
  @inlinable package static var workBegin: EventKind { EventKind(34) }
  @inlinable package static var workEnd: EventKind { EventKind(35) }
  @inlinable package static var queueWaitBegin: EventKind { EventKind(36) }
  @inlinable package static var queueWaitEnd: EventKind { EventKind(37) }

  @inlinable package static var timerCreate: EventKind { EventKind(40) }
  @inlinable package static var timerAdd: EventKind { EventKind(41) }
  @inlinable package static var timerRemove: EventKind { EventKind(42) }
  @inlinable package static var timerInvalidate: EventKind { EventKind(43) }
  @inlinable package static var timerReschedule: EventKind { EventKind(44) }
  @inlinable package static var timerDue: EventKind { EventKind(45) }

  @inlinable package static var sourceCreate: EventKind { EventKind(48) }
  @inlinable package static var sourceAdd: EventKind { EventKind(49) }
  @inlinable package static var sourceRemove: EventKind { EventKind(50) }
  @inlinable package static var sourceSignal: EventKind { EventKind(51) }
  @inlinable package static var sourceInvalidate: EventKind { EventKind(52) }
  @inlinable package static var blockCreate: EventKind { EventKind(53) }
  @inlinable package static var observerCreate: EventKind { EventKind(54) }
  @inlinable package static var blockDiscard: EventKind { EventKind(55) }

  @inlinable package static var loopCreate: EventKind { EventKind(56) }
  @inlinable package static var loopAddCommonMode: EventKind { EventKind(57) }
  @inlinable package static var loopWakeUp: EventKind { EventKind(58) }
  @inlinable package static var loopStop: EventKind { EventKind(59) }
  @inlinable package static var loopEnd: EventKind { EventKind(60) }
  @inlinable package static var loopPolls: EventKind { EventKind(61) }

  @inlinable package static var workCreate: EventKind { EventKind(62) }
  @inlinable package static var workQueue: EventKind { EventKind(63) }

  @inlinable package static var heartbeat: EventKind { EventKind(64) }
  @inlinable package static var processStop: EventKind { EventKind(65) }
  @inlinable package static var processContinue: EventKind { EventKind(66) }
  @inlinable package static var lifeCycle: EventKind { EventKind(67) }
  @inlinable package static var backgroundTaskBegin: EventKind { EventKind(68) }
  @inlinable package static var backgroundTaskEnd: EventKind { EventKind(69) }
  @inlinable package static var backgroundTaskExpired: EventKind { EventKind(70) }
  @inlinable package static var processEnd: EventKind { EventKind(71) }
  @inlinable package static var mark: EventKind { EventKind(72) }
  @inlinable package static var imageMap: EventKind { EventKind(73) }
  @inlinable package static var stack: EventKind { EventKind(74) }
  @inlinable package static var serviceBegin: EventKind { EventKind(75) }
  @inlinable package static var serviceEnd: EventKind { EventKind(76) }
  @inlinable package static var intervalBegin: EventKind { EventKind(77) }
  @inlinable package static var intervalEnd: EventKind { EventKind(78) }
  @inlinable package static var lostEvents: EventKind { EventKind(79) }
  @inlinable package static var frameName: EventKind { EventKind(80) }
  @inlinable package static var threadState: EventKind { EventKind(81) }
  @inlinable package static var threadStack: EventKind { EventKind(82) }
  @inlinable package static var threadUnsampled: EventKind { EventKind(83) }
  @inlinable package static var topologyBegin: EventKind { EventKind(84) }
  @inlinable package static var topologyMode: EventKind { EventKind(85) }
  @inlinable package static var topologyItem: EventKind { EventKind(86) }
  @inlinable package static var topologyEnd: EventKind { EventKind(87) }
  @inlinable package static var nameCode: EventKind { EventKind(88) }

  @inlinable package static var queueCreate: EventKind { EventKind(89) }
  @inlinable package static var queueEnd: EventKind { EventKind(90) }
  @inlinable package static var workDiscard: EventKind { EventKind(91) }

  @inlinable package static var timerFrames: EventKind { EventKind(92) }
  @inlinable package static var state: EventKind { EventKind(93) }
}
