/// What an argument's 64 bits mean.
public enum ArgumentUnit: String, Sendable {
  /// A moment, in the trace's time units since its origin; may lie before the origin (two's complement).
  case time
  /// A length of time in nanoseconds, whatever the trace's time unit is.
  case nanoseconds
  case count
  /// Two's complement.
  case signed
  /// An id of the string table; 0 = none.
  case string
  case mode
  case object
  case address
  /// A small number whose meaning is listed with the argument.
  case code
}

/// One argument of an event.
public struct ArgumentDefinition: Sendable {
  public let name: String
  public let unit: ArgumentUnit
  public let note: String
}

/// One row of the event table.
public struct EventDefinition: Sendable {
  public let kind: EventKind
  /// The name in text form and in documents.
  public let name: String
  /// What the event's object field names; empty = nothing.
  public let object: String
  public let arguments: [ArgumentDefinition]
  /// The last argument may be repeated.
  public let isVariadic: Bool
  /// Minor version of format 1 that brought the row.
  public let since: UInt16
  public let meaning: String
}

/// The events of a trace, as data. The specification page, the text form and the decoder follow from it.
public enum EventTable {
  public static let definitions: [EventDefinition] =
    activities + runs + callouts + timers + sources + loops + process + evidence

  /// The definition of a kind, or nil when this version does not know it. O(1).
  public static func definition(of kind: EventKind) -> EventDefinition? { byCode[Int(kind.rawValue)] }

  /// The definition with a name of the text form.
  public static func definition(named name: String) -> EventDefinition? { byName[name] }

  /// The begin of a callout for its end, nil for other kinds.
  public static func begin(ofEnd kind: EventKind) -> EventKind? {
    isCalloutEnd(kind.rawValue) ? EventKind(kind.rawValue - 1) : nil
  }

  @inlinable public static func isCalloutBegin(_ code: UInt8) -> Bool {
    code >= 20 && code <= 33 && code & 1 == 0
  }
  @inlinable public static func isCalloutEnd(_ code: UInt8) -> Bool {
    code >= 20 && code <= 33 && code & 1 == 1
  }

  private static let byCode: [EventDefinition?] = {
    var table = [EventDefinition?](repeating: nil, count: 256)
    for row in definitions { table[Int(row.kind.rawValue)] = row }
    return table
  }()

  private static let byName = Dictionary(uniqueKeysWithValues: definitions.map { ($0.name, $0) })

  // MARK: Rows

  private static func row(
    _ kind: EventKind, _ name: String, _ object: String, _ meaning: String
  ) -> EventDefinition {
    row(kind, name, object, [], meaning)
  }

  private static func row(
    _ kind: EventKind, _ name: String, _ object: String, _ arguments: [ArgumentDefinition],
    variadic: Bool = false, since: UInt16 = 0, _ meaning: String
  ) -> EventDefinition {
    EventDefinition(
      kind: kind, name: name, object: object, arguments: arguments, isVariadic: variadic, since: since,
      meaning: meaning)
  }

  private static func argument(_ name: String, _ unit: ArgumentUnit, _ note: String = "")
    -> ArgumentDefinition
  {
    ArgumentDefinition(name: name, unit: unit, note: note)
  }

  private static let activities = [
    row(.entryLow, "Entry.low", "loop", "a run begins, before any other observer"),
    row(.entryHigh, "Entry.high", "loop", "the same activity, after all other observers"),
    row(.beforeTimersLow, "BeforeTimers.low", "loop", "a pass begins"),
    row(.beforeTimersHigh, "BeforeTimers.high", "loop", "after all other observers"),
    row(.beforeSourcesLow, "BeforeSources.low", "loop", "blocks and source0s come next"),
    row(.beforeSourcesHigh, "BeforeSources.high", "loop", "after all other observers"),
    row(.beforeWaitingLow, "BeforeWaiting.low", "loop", "the loop is about to sleep"),
    row(.beforeWaitingHigh, "BeforeWaiting.high", "loop", "after all other observers: waiting begins"),
    row(.afterWaitingLow, "AfterWaiting.low", "loop", "the loop woke: waiting ends"),
    row(.afterWaitingHigh, "AfterWaiting.high", "loop", "after all other observers"),
    row(.exitLow, "Exit.low", "loop", "the run ends, before any other observer"),
    row(.exitHigh, "Exit.high", "loop", "after all other observers"),
  ]

  private static let runs = [
    row(
      .runBegin, "run.begin", "loop",
      [
        argument("timeout_ns", .nanoseconds, "all ones = no limit"),
        argument("return_after_source", .code, "0 no, 1 yes"),
      ], "CFRunLoopRunInMode was called with the event's mode"),
    row(
      .runEnd, "run.end", "loop",
      [argument("result", .code, "1 finished, 2 stopped, 3 timed out, 4 handled source")],
      "and returned"),
  ]

  private static let callouts = [
    row(.timerBegin, "timer.begin", "timer", "a timer's callout begins"),
    row(.timerEnd, "timer.end", "timer", "and ends"),
    row(.source0Begin, "source0.begin", "source", "a source0's perform callout begins"),
    row(.source0End, "source0.end", "source", "and ends"),
    row(.source1Begin, "source1.begin", "source", "a source1's perform callout begins"),
    row(.source1End, "source1.end", "source", "and ends"),
    row(.blockBegin, "block.begin", "block", "a block of CFRunLoopPerformBlock begins"),
    row(.blockEnd, "block.end", "block", "and ends"),
    row(.mainQueueDrainBegin, "mainQueueDrain.begin", "loop", "the loop serves the main dispatch queue"),
    row(
      .mainQueueDrainEnd, "mainQueueDrain.end", "loop", "and is done with it; half of all drains are empty"),
    row(.mainQueueBlockBegin, "mainQueueBlock.begin", "block", "one block of the main queue begins"),
    row(.mainQueueBlockEnd, "mainQueueBlock.end", "block", "and ends"),
    row(.observerBegin, "observer.begin", "observer", "an observer of the program begins"),
    row(.observerEnd, "observer.end", "observer", "and ends"),
  ]

  private static let timers = [
    row(
      .timerCreate, "timer.create", "timer",
      [
        argument("name", .string), argument("interval_ns", .nanoseconds, "0 = one-shot"),
        argument("tolerance_ns", .nanoseconds), argument("due", .time, "the first due point"),
        argument("site", .string, "creation site"),
      ], "a timer exists; its object id is fresh"),
    row(
      .timerAdd, "timer.add", "timer", [argument("mode", .mode), argument("loop", .object)], "added to a mode"
    ),
    row(.timerRemove, "timer.remove", "timer", [argument("mode", .mode)], "removed from a mode"),
    row(.timerInvalidate, "timer.invalidate", "timer", "invalidated; the object id may be used again"),
    row(
      .timerReschedule, "timer.reschedule", "timer", [argument("due", .time)],
      "the program moved the fire date"),
    row(
      .timerDue, "timer.due", "timer", [argument("due", .time)],
      "the due point that the callout beginning at this moment answers"),
  ]

  private static let sources = [
    row(
      .sourceCreate, "source.create", "source",
      [
        argument("name", .string), argument("version", .code, "0 source0, 1 source1"),
        argument("order", .signed),
        argument("site", .string, "creation site"),
      ], "a source exists"),
    row(
      .sourceAdd, "source.add", "source", [argument("mode", .mode), argument("loop", .object)],
      "added to a mode"),
    row(.sourceRemove, "source.remove", "source", [argument("mode", .mode)], "removed from a mode"),
    row(.sourceSignal, "source.signal", "source", "CFRunLoopSourceSignal, on the thread that signals"),
    row(.sourceInvalidate, "source.invalidate", "source", "invalidated; the object id may be used again"),
    row(
      .blockCreate, "block.create", "block",
      [
        argument("name", .string), argument("loop", .object),
        argument("due", .time, "before which it does not run; absent in 1.0, and where it may run at once"),
      ],
      "a block was queued with CFRunLoopPerformBlock or on the main queue"),
    row(
      .observerCreate, "observer.create", "observer",
      [
        argument("name", .string), argument("activities", .code, "CFRunLoopActivity bits"),
        argument("order", .signed),
      ],
      "an observer of the program exists"),
  ]

  private static let loops = [
    row(
      .loopCreate, "loop.create", "loop", [argument("name", .string)],
      "a run loop is observed from now on"),
    row(
      .loopAddCommonMode, "loop.addCommonMode", "loop", [argument("mode", .mode)],
      "a mode is common from now on"),
    row(.loopWakeUp, "loop.wakeUp", "loop", "CFRunLoopWakeUp, on the thread that calls it"),
    row(.loopStop, "loop.stop", "loop", "CFRunLoopStop"),
    row(
      .loopEnd, "loop.end", "loop", [], since: 2, "the loop's thread ends: its items are in no mode any more"),
  ]

  private static let process = [
    row(
      .heartbeat, "heartbeat", "",
      [
        argument("late_ns", .nanoseconds, "how late the beat came"),
        argument(
          "cpu_ns", .nanoseconds,
          "CPU time the process used since the beat before, and the beat waited for a processor; absent in 1.0, "
            + "and where it cannot be known"),
      ],
      "the recorder's sentinel thread beats; a late beat is evidence that the process did not run"),
    row(.processStop, "process.stop", "", [argument("signal", .code)], "the process was stopped"),
    row(.processContinue, "process.continue", "", [argument("signal", .code)], "and continues"),
    row(
      .lifeCycle, "lifeCycle", "",
      [
        argument(
          "phase", .code,
          "1 launching, 2 active, 3 inactive, 4 background, 5 suspended, 6 foreground, 7 terminating")
      ], "a life-cycle phase begins"),
    row(
      .backgroundTaskBegin, "backgroundTask.begin", "task",
      [argument("name", .string), argument("budget_ns", .nanoseconds)], "a background task begins"),
    row(.backgroundTaskEnd, "backgroundTask.end", "task", "and is ended by the program"),
    row(.backgroundTaskExpired, "backgroundTask.expired", "task", "its budget is used up"),
  ]

  private static let evidence = [
    row(.mark, "mark", "", [argument("name", .string)], "a mark that the program set"),
    row(
      .imageMap, "imageMap", "",
      [
        argument("path", .string), argument("base", .address), argument("size", .count),
        argument("build_id", .string),
      ], "an executable image is mapped"),
    row(
      .stack, "stack", "object", [argument("reason", .code), argument("frame", .address, "innermost first")],
      variadic: true, "a sampled call stack"),
    row(
      .serviceBegin, "service.begin", "service", [argument("name", .string)], since: 1,
      "an expensive service (location …) is switched on"),
    row(.serviceEnd, "service.end", "service", [], since: 1, "and off"),
    row(
      .intervalBegin, "interval.begin", "interval", [argument("name", .string)], since: 2,
      "the program says that an interval begins"),
    row(
      .intervalEnd, "interval.end", "interval", [], since: 2,
      "and ends, on any thread; the object id may be used again"),
    row(
      .lostEvents, "lostEvents", "", [argument("count", .count)],
      "this many events of the thread were dropped between the one before and the one after"),
  ]
}
