/// The events of a trace, as data. The specification page, the text form, the decoder, redaction, recovery, replay
/// and the constants for C (`tools/generate`) derive from it.
public enum EventTable {
  package static let definitions: [EventDefinition] =
    activities + calls + callouts + slices + timers + sources + loops + works
    + process + program + topology + code + queues + frames + states

  /// Returns the definition of a kind; nil when this version does not know it. O(1).
  public static func definition(of kind: EventKind) -> EventDefinition? { byCode[Int(kind.rawValue)] }

  /// Returns the definition with a name of the text form.
  public static func definition(named name: String) -> EventDefinition? { byName[name] }

  /// Returns the role of a kind; nil when this version does not know it. O(1).
  package static func role(of code: UInt8) -> EventRole? { roles[Int(code)] }

  /// Returns whether the objects of these events are predicted from those of their begin events. This rule is part of
  /// the format and applies only to the callouts of format 1.0, because older readers predict only those.
  static func isPredictedByBegin(_ code: UInt8) -> Bool {
    guard let row = byCode[Int(code)], row.since == 0, case .calloutEnd = row.role else { return false }
    return true
  }

  private static let byCode: [EventDefinition?] = {
    var table = [EventDefinition?](repeating: nil, count: 256)
    for row in definitions { table[Int(row.kind.rawValue)] = row }
    return table
  }()

  private static let roles = byCode.map { $0?.role }

  private static let byName = Dictionary(uniqueKeysWithValues: definitions.map { ($0.name, $0) })

  // MARK: Building rows

  private static func row(
    _ kind: EventKind, _ name: String, _ role: EventRole, _ object: String,
    _ arguments: [ArgumentDefinition], variadic: Bool = false, since: UInt16 = 0, _ meaning: String
  ) -> EventDefinition {
    EventDefinition(
      kind: kind, name: name, role: role, object: object, arguments: arguments, isVariadic: variadic,
      since: since, meaning: meaning)
  }

  private static func row(
    _ kind: EventKind, _ name: String, _ role: EventRole, _ object: String, _ meaning: String
  ) -> EventDefinition {
    row(kind, name, role, object, [], meaning)
  }

  private static func argument(_ name: String, _ unit: ArgumentUnit, _ note: String = "")
    -> ArgumentDefinition
  {
    ArgumentDefinition(name: name, unit: unit, note: note)
  }

  private static func stamps(_ activity: Activity, _ low: String, _ high: String) -> [EventDefinition] {
    [(false, ".low", low), (true, ".high", high)].map { isHigh, suffix, meaning in
      row(
        EventKind(activity, isHigh: isHigh), activity.name + suffix, .activity(activity, isHigh: isHigh),
        "loop", meaning)
    }
  }

  private static func callout(
    _ begin: EventKind, _ kind: CalloutKind, of object: String, _ meaning: String,
    andEnds: String = "the callout ends"
  ) -> [EventDefinition] {
    [
      row(begin, kind.rawValue + ".begin", .calloutBegin(kind), object, meaning),
      row(begin.end, kind.rawValue + ".end", .calloutEnd(kind), object, andEnds),
    ]
  }

  // MARK: Rows

  private static let activities =
    stamps(.entry, "a run begins, before any other observer", "the same, after all other observers")
    + stamps(.beforeTimers, "a pass begins", "the same, after all other observers")
    + stamps(.beforeSources, "blocks and source0s come next", "the same, after all other observers")
    + stamps(
      .beforeWaiting, "the loop is about to sleep",
      "the same, after all other observers: waiting begins")
    + stamps(.afterWaiting, "the loop woke: waiting ends", "the same, after all other observers")
    + stamps(.exit, "the run ends, before any other observer", "the same, after all other observers")

  private static let calls = [
    row(
      .runBegin, "run.begin", .callBegin, "loop",
      [
        argument("timeout_ns", .nanoseconds, "all ones = no limit"),
        argument("return_after_source", .code, "0 no, 1 yes"),
      ], "CFRunLoopRunInMode was called with the event's mode"),
    row(
      .runEnd, "run.end", .callEnd, "loop",
      [
        argument(
          "result", .code, RunResult.allCases.map { "\($0.rawValue) \($0.words)" }.joined(separator: ", "))
      ], "CFRunLoopRunInMode returned"),
  ]

  private static let callouts =
    callout(.timerBegin, .timer, of: "timer", "a timer's callout begins")
    + callout(.source0Begin, .source0, of: "source", "a source0's callout begins")
    + callout(.source1Begin, .source1, of: "source", "a source1's callout begins")
    + callout(.blockBegin, .block, of: "block", "a block of CFRunLoopPerformBlock begins")
    + callout(
      .mainQueueDrainBegin, .mainQueueDrain, of: "loop", "the loop serves the main queue",
      andEnds: "the queue is served; half of all drains are empty")
    + callout(.mainQueueBlockBegin, .mainQueueBlock, of: "block", "a block of the main queue begins")
    + callout(.observerBegin, .observer, of: "observer", "an observer of the program begins")

  private static let slices = [
    row(
      .workBegin, "work.begin", .calloutBegin(.work), "work", [argument("queue", .object)], since: 2,
      "a slice of work runs on this thread"),
    row(
      .workEnd, "work.end", .calloutEnd(.work), "work",
      [argument("why", .code, list(SliceEnd.allCases) + "; absent = 0")], since: 2,
      "the slice ends; after 0, the work's object id may be reused"),
    row(
      .queueWaitBegin, "queueWait.begin", .callBegin, "queue",
      [argument("holder", .count, "OS id of the thread that holds the queue; 0 = not known")], since: 2,
      "the thread waits for its turn on a queue, as in dispatch_sync; only waits of 1 us or more"),
    row(.queueWaitEnd, "queueWait.end", .callEnd, "queue", [], since: 2, "the wait ends"),
  ]

  private static let timers = [
    row(
      .timerCreate, "timer.create", .defines, "timer",
      [
        argument("name", .string), argument("interval_ns", .nanoseconds, "0 = one-shot"),
        argument("tolerance_ns", .nanoseconds), argument("due", .time, "the first due point"),
        argument("site", .string, "creation site"),
      ], "a timer is defined; its object id is new"),
    row(
      .timerAdd, "timer.add", .joins, "timer", [argument("mode", .mode), argument("loop", .object)],
      "added to a mode"),
    row(
      .timerRemove, "timer.remove", .leaves, "timer", [argument("mode", .mode)],
      "removed from a mode"),
    row(
      .timerInvalidate, "timer.invalidate", .ends, "timer",
      "invalidated; its object id may be reused"),
    row(
      .timerReschedule, "timer.reschedule", .setsDue, "timer", [argument("due", .time)],
      "the program moved the fire date"),
    row(
      .timerDue, "timer.due", .answersDue, "timer", [argument("due", .time)],
      "the due point of the callout that begins now"),
  ]

  private static let sources = [
    row(
      .sourceCreate, "source.create", .defines, "source",
      [
        argument("name", .string), argument("version", .code, "0 source0, 1 source1"),
        argument("order", .signed),
        argument("site", .string, "creation site"),
      ], "a source is defined"),
    row(
      .sourceAdd, "source.add", .joins, "source", [argument("mode", .mode), argument("loop", .object)],
      "added to a mode"),
    row(
      .sourceRemove, "source.remove", .leaves, "source", [argument("mode", .mode)],
      "removed from a mode"),
    row(
      .sourceSignal, "source.signal", .happens, "source",
      "CFRunLoopSourceSignal was called, on this thread"),
    row(
      .sourceInvalidate, "source.invalidate", .ends, "source",
      "invalidated; its object id may be reused"),
    row(
      .blockCreate, "block.create", .defines, "block",
      [
        argument("name", .string), argument("loop", .object),
        argument("due", .time, "the earliest time to run; absent in 1.0, and if it may run immediately"),
        argument(
          "mode", .mode,
          "where it may run, for CFRunLoopPerformBlock only: `due` is then the moment of the call; 0 = not known"
        ),
      ], variadic: true,
      "a block was queued with CFRunLoopPerformBlock or on the main queue"),
    row(
      .observerCreate, "observer.create", .defines, "observer",
      [
        argument("name", .string), argument("activities", .code, "CFRunLoopActivity bits"),
        argument("order", .signed),
      ],
      "an observer of the program is defined"),
    row(
      .blockDiscard, "block.discard", .ends, "block", [], since: 2,
      "a queued block will not run, or ran unseen: cancelled, or its queue or loop is gone"
    ),
  ]

  private static let loops = [
    row(
      .loopCreate, "loop.create", .defines, "loop",
      [
        argument("name", .string),
        argument("kind", .code, list(LoopKind.allCases) + "; absent = 0"),
      ], variadic: true,
      "the recorder observes a loop from now on"),
    row(
      .loopAddCommonMode, "loop.addCommonMode", .joins, "loop", [argument("mode", .mode)],
      "a mode is common from now on"),
    row(
      .loopWakeUp, "loop.wakeUp", .happens, "loop", "CFRunLoopWakeUp was called, on this thread"),
    row(.loopStop, "loop.stop", .happens, "loop", "CFRunLoopStop was called"),
    row(
      .loopEnd, "loop.end", .ends, "loop", [], since: 2,
      "the loop's thread ends; its items leave all modes"),
    row(
      .loopPolls, "loop.polls", .happens, "loop", [argument("count", .count)], since: 2,
      "the loop of the thread asked so often what is ready, without a pass for each"),
  ]

  private static let works = [
    row(
      .workCreate, "work.create", .defines, "work",
      [
        argument("name", .string), argument("kind", .code, list(WorkKind.allCases)),
        argument("queue", .object),
        argument("parent", .object, "the work that created it; 0 = none, or not known"),
        argument("site", .string, "creation site"),
        argument("due", .time, "the earliest time to run; absent if it may run immediately"),
      ], since: 2, "work is queued for the first time; its object id is new"),
    row(
      .workQueue, "work.queue", .happens, "work", [argument("queue", .object)], since: 2,
      "suspended work is queued again"),
  ]

  private static let process = [
    row(
      .heartbeat, "heartbeat", .evidence, "",
      [
        argument("late_ns", .nanoseconds, "how late the beat came"),
        argument(
          "cpu_ns", .nanoseconds,
          "CPU time of the process since the previous beat, plus the beat's wait for a processor; absent in 1.0, "
            + "and if not known"),
      ],
      "the recorder's thread beats; a late beat is evidence of suspension"),
    row(
      .processStop, "process.stop", .evidence, "", [argument("signal", .code)], "the process was stopped"),
    row(
      .processContinue, "process.continue", .evidence, "", [argument("signal", .code)],
      "the process continues"),
    row(
      .lifeCycle, "lifeCycle", .setsPhase, "", [argument("phase", .code, list(LifePhase.allCases))],
      "a life-cycle phase begins"),
    row(
      .backgroundTaskBegin, "backgroundTask.begin", .defines, "task",
      [argument("name", .string), argument("budget_ns", .nanoseconds)], "a background task begins"),
    row(.backgroundTaskEnd, "backgroundTask.end", .ends, "task", "the program ends the background task"),
    row(
      .backgroundTaskExpired, "backgroundTask.expired", .ends, "task",
      "the task's budget is used up"),
    row(
      .processEnd, "process.end", .happens, "",
      [
        argument("status", .signed, "the exit status; -1 = not known, or a signal ended it"),
        argument("signal", .code, "the signal that ended it; 0 = none, or not known"),
        argument("by_recorder", .code, "1 = the recorder sent this signal or passed it on"),
      ], since: 2, "the process ended; on a thread of the recorder"),
  ]

  private static let program = [
    row(.mark, "mark", .happens, "", [argument("name", .string)], "the program set a mark"),
    row(
      .imageMap, "imageMap", .image, "",
      [
        argument("path", .string), argument("base", .address), argument("size", .count),
        argument("build_id", .string),
      ], "an executable image that has code of a sampled stack"),
    row(
      .stack, "stack", .happens, "object",
      [argument("reason", .code), argument("frame", .address, "innermost first")], variadic: true,
      "a call stack of an unspecified thread"),
    row(
      .serviceBegin, "service.begin", .defines, "service", [argument("name", .string)], since: 1,
      "an expensive service (location …) is switched on"),
    row(.serviceEnd, "service.end", .ends, "service", [], since: 1, "the service is switched off"),
    row(
      .intervalBegin, "interval.begin", .defines, "interval", [argument("name", .string)], since: 2,
      "the program begins an interval"),
    row(
      .intervalEnd, "interval.end", .ends, "interval", [], since: 2,
      "the interval ends, on any thread; its object id may be reused"),
    row(
      .lostEvents, "lostEvents", .loss, "",
      [
        argument("count", .count),
        argument("full_disk", .count, "those lost to a full disk; absent = none"),
      ],
      "events of the thread were lost between the previous event and the next"),
    row(
      .frameName, "frameName", .image, "",
      [
        argument(
          "address", .address, "for a return address, the one before it, inside the call"),
        argument("depth", .code, "0 innermost; all but the deepest are inlined into the next"),
        argument("function", .string), argument("file", .string), argument("line", .count, "0 = not known"),
        argument("column", .count, "0 = not known"),
      ], since: 2, "a function at an address that occurs in stacks; on a thread of the recorder"),
    row(
      .threadState, "thread.state", .happens, "",
      [
        argument("thread", .count, "the operating system's id"),
        argument(
          "state", .code,
          "of a letter: R runs or is ready, S sleeps, D waits for a disk …; all ones = only the times are known"
        ),
        argument("system_call", .code, "its number; here, all ones = none, or not known"),
        argument("cpu_ns", .nanoseconds, "of the thread so far, like the next numbers"),
        argument("waited_ns", .nanoseconds, "ready, without a processor"),
        argument("voluntary_switches", .count), argument("involuntary_switches", .count),
        argument("minor_faults", .count), argument("major_faults", .count),
        argument("read_bytes", .count), argument("written_bytes", .count),
        argument("awaited_thread", .count, "the holder of its lock; 0 = not known"),
        argument("descriptor", .code, "awaited: " + list(DescriptorKind.allCases)),
        argument("age_ns", .nanoseconds, "how long before the event it was read; absent = 0"),
      ], since: 2, "state of a thread whose loop stays in one activity"),
    row(
      .threadStack, "thread.stack", .happens, "",
      [
        argument("thread", .count, "the operating system's id"),
        argument("reason", .code, list(StackReason.allCases)),
        argument("frame", .address, "innermost first; all but the first are return addresses"),
      ], variadic: true, since: 2, "a sampled call stack"),
    row(
      .threadUnsampled, "thread.unsampled", .happens, "",
      [
        argument("thread", .count, "the operating system's id"),
        argument("reason", .code, list(UnsampledReason.allCases)),
      ], since: 2, "the recorder could not sample a stack"),
  ]

  private static let topology = [
    row(
      .topologyBegin, "topology.begin", .happens, "loop",
      [
        argument("reason", .code, list(SnapshotReason.allCases)),
        argument("address", .address, "0 = not known"),
        argument("unseen", .code, "1 = items may have been added unseen, else 0"),
      ], since: 2,
      "up to `topology.end`, what the loop holds; the mode is that of the innermost run"
    ),
    row(
      .topologyMode, "topology.mode", .happens, "loop",
      [argument("state", .code, "bits: 1 common, 2 nothing was ever added")], since: 2,
      "the loop has the event's mode"),
    row(
      .topologyItem, "topology.item", .happens, "item",
      [
        argument("kind", .code, list(LoopItemKind.allCases)), argument("name", .string),
        argument("order", .signed), argument("address", .address, "0 = not known"),
        argument("activities", .code, "observer: CFRunLoopActivity bits"),
        argument("repeats", .code, "observer: 1 = stays after a call"),
        argument("interval_ns", .nanoseconds, "timer: 0 = one-shot"),
        argument("tolerance_ns", .nanoseconds, "timer"),
        argument("due", .time, "timer; absent if not known"),
      ], since: 2,
      "the item is in the event's mode, or a common item for kCFRunLoopCommonModes; without arguments, described "
        + "before"),
    row(
      .topologyEnd, "topology.end", .happens, "loop",
      [
        argument("items", .count, "number of topology.item events"),
        argument("omitted", .count, "items beyond the recorder's limit"),
      ], since: 2, "the list ends"),
  ]

  private static let code = [
    row(
      .nameCode, "name.code", .image, "",
      [
        argument("name", .string, "of a callout, mode or site"),
        argument(
          "code", .address,
          "the callout's function, 0 = not known; then return addresses of the place that made the object or ran "
            + "the mode, innermost first"
        ),
      ], variadic: true, since: 2, "the code that a name refers to; on a thread of the recorder")
  ]

  private static let queues = [
    row(
      .queueCreate, "queue.create", .defines, "queue",
      [
        argument("name", .string, "label"), argument("kind", .code, list(QueueKind.allCases)),
        argument("width", .count, "threads at once; 0 = not known"),
      ], since: 2, "the recorder observes a queue, a pool, an actor or an executor from now on"),
    row(
      .queueEnd, "queue.end", .ends, "queue", [], since: 2, "the queue is gone; its object id may be reused"),
    row(.workDiscard, "work.discard", .ends, "work", [], since: 2, "queued or suspended work will not run"),
  ]

  private static let frames = [
    row(
      .timerFrames, "timer.frames", .happens, "timer", [], since: 2,
      "the program declares the timer a frame source: its due points are the beginnings of frames")
  ]

  private static let states = [
    row(
      .state, "state", .happens, "",
      [argument("name", .string), argument("value", .string, "0 = the state ends")], since: 2,
      "a named state of the program has this value from now on, until its next event; on any thread")
  ]

  private static func list<Code: RawRepresentable & Named>(_ codes: [Code]) -> String
  where Code.RawValue == UInt64 {
    codes.map { "\($0.rawValue) \($0.name)" }.joined(separator: ", ")
  }
}
