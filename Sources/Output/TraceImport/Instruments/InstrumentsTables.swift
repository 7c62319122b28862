/// The tables of an Instruments recording that are read, and their columns: the words of `xctrace export`, in one
/// place. Recorded with Xcode 27.
enum InstrumentsTable: String, CaseIterable {
  case runLoopEvents = "runloop-events"
  case runLoopIntervals = "runloop-intervals"
  case potentialHangs = "potential-hangs"
  case hitches
  case signpostIntervals = "OSSignpostIntervals"
  case oldSignpostIntervals = "os-signpost-interval"
  case signposts = "os-signpost"
  case pointsOfInterest = "PointsOfInterestEvents"
  case timeProfile = "time-profile"
  case timeSample = "time-sample"

  /// Whether the table describes runs of loops.
  var isOfLoops: Bool { self == .runLoopEvents || self == .runLoopIntervals }
  /// Whether the table holds intervals of signposts. Several tables have the same ones.
  var isOfSignposts: Bool {
    self == .signpostIntervals || self == .oldSignpostIntervals || self == .signposts
  }
  /// Whether the table holds sampled stacks.
  var isOfStacks: Bool { self == .timeProfile || self == .timeSample }

  /// The columns that every row must have.
  var needed: [InstrumentsColumn] {
    switch self {
    case .runLoopEvents: [.timestamp, .intervalType, .eventType, .thread]
    case .runLoopIntervals: [.start, .duration, .intervalType, .thread]
    case .potentialHangs: [.start, .duration, .hangType]
    case .hitches: [.start, .duration]
    case .signpostIntervals, .oldSignpostIntervals: [.start, .duration, .name]
    case .signposts: [.time, .eventType, .name]
    case .pointsOfInterest: [.time, .name]
    case .timeProfile, .timeSample: [.time, .thread]
    }
  }
}

/// A column that is read. The raw value is its mnemonic.
enum InstrumentsColumn: String, CaseIterable {
  case timestamp, time, start, duration, name, message, mode, thread, process, timeout, weight, stack,
    identifier
  case intervalType = "interval-type"
  case eventType = "event-type"
  case nestingLevel = "nesting-level"
  case isMain = "is-main"
  case otherArgument = "other-arg"
  case runResult = "run-result"
  case returnsAfterSource = "return-after-source-handled"
  case hangType = "hang-type"
  case startThread = "start-thread"
  case isSystem = "is-system"
  case threadState = "thread-state"
  case userStack = "cp-user-callstack"

  /// Whether a value of an unknown type counts as a missing one.
  var isOptional: Bool {
    switch self {
    case .weight, .stack, .userStack, .threadState, .identifier: true
    default: false
    }
  }

  var isText: Bool {
    switch self {
    case .name, .message, .mode, .intervalType, .hangType: true
    default: false
    }
  }
}

/// The kind of a row about a run loop, by the words of both tables.
enum LoopRowKind: UInt8 {
  case run, iteration, wait

  /// Returns the kind; nil for rows that other rows imply, such as "Busy".
  static func named(_ word: String) -> LoopRowKind?? {
    switch word {
    case "Runloop Run", "runloop_run": .some(.run)
    case "Individual Iteration", "individual_iteration": .some(.iteration)
    case "Waiting For Events", "waiting_for_events": .some(.wait)
    case "Busy": .some(nil)
    default: nil
    }
  }
}

/// The engineering types whose text is a number.
enum InstrumentsNumber {
  static let types: Set<String> = [
    "start-time", "event-time", "sample-time", "duration", "uint64", "uint32", "boolean", "address", "tid",
    "pid",
    "kdebug-func", "cfrunloop-result", "containment-level", "os-signpost-identifier",
  ]
}
