import TraceFormat

/// One event of a recording, with links to what belongs to it.
struct RecordedEvent {
  /// In time units since the trace's origin.
  var time: UInt64
  var object: UInt32
  /// The index in `Recording.lives` of the object's life; -1 = none.
  var life: Int32 = -1
  /// `end`; -1 = none.
  var endAt: Int32 = -1
  /// Where its arguments begin in `RecordedThread.arguments`.
  var argumentsStart: UInt32 = 0
  var argumentCount: UInt8 = 0
  var kind: EventKind
  var mode: UInt8

  /// For the begin of a callout or run: the index of its end in the thread's events; nil = not recorded.
  var end: Int? { endAt >= 0 ? Int(endAt) : nil }
}

/// The events of one thread, in time order.
struct RecordedThread {
  let index: UInt32
  var events: [RecordedEvent] = []
  /// The arguments of all events.
  var arguments: [UInt64] = []

  init(index: UInt32) { self.index = index }

  func arguments(of event: RecordedEvent) -> ArraySlice<UInt64> {
    let start = Int(event.argumentsStart)
    return arguments[start..<(start + Int(event.argumentCount))]
  }

  /// Returns an argument; 0 if the event does not have it.
  func argument(_ position: Int, of event: RecordedEvent) -> UInt64 {
    position < Int(event.argumentCount) ? arguments[Int(event.argumentsStart) + position] : 0
  }

  /// Appends an event with its arguments.
  mutating func append(_ event: RecordedEvent, _ values: some Collection<UInt64>) {
    var event = event
    event.argumentsStart = UInt32(clamping: arguments.count)
    event.argumentCount = UInt8(clamping: values.count)
    arguments.append(contentsOf: values)
    events.append(event)
  }
}

/// The life of an object from its definition to its end. Ids are reused; lives are not.
struct RecordedLife {
  enum Kind { case timer, source, block, observer, loop, work, queue, other }

  var kind: Kind
  var object: UInt32
  var name = ""
  /// For a timer. 0 = one-shot.
  var intervalNs: UInt64 = 0
  /// For a source: 0 or 1.
  var version: UInt64 = 0
  /// For a source.
  var order = 0
  /// The first loop that the item was given to; 0 = not known.
  var loop: UInt32 = 0
  /// For a block: whether the recording has its modes. The main queue's blocks have none.
  var hasModes = false
  /// Whether the recording has the event that defines it.
  var isDefined = false
  var isEnded = false
  /// When it was invalidated while its loop ran, in time units; nil = never.
  var end: UInt64?
}
