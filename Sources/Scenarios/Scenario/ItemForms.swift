import CheckedYAML

extension Scenario {
  static let form = ItemForm(
    "a scenario", Scenario(),
    [
      ItemField("scenario", \.name, .text),
      ItemField("about", \.about, .text, absent: ""),
      ItemField("expect", \.expect, .list(.text), absent: []),
      ItemField("loop", \.isOnMain, .word(("main", "thread"), "loop"), absent: true),
      ItemField("common modes", \.commonModes, .modes, absent: []),
      ItemField("timers", \.timers, Timer.form.list, absent: []),
      ItemField("sources", \.sources, Source.form.list, absent: []),
      ItemField("observers", \.observers, Observer.form.list, absent: []),
      ItemField("gestures", \.gestures, Gesture.form.list, absent: []),
      ItemField("background tasks", \.tasks, Task.form.list, absent: []),
      ItemField("services", \.services, Service.form.list, absent: []),
      ItemField("countdowns", \.countdowns, Countdown.form.list, absent: []),
      ItemField("thread", \.body, .steps),
      ItemField("others", \.others, Moment.form.list, absent: []),
      ItemField("workers", \.workers, .list(.ofAnotherLoop(Worker.form)), absent: []),
    ])
}

/// The shortest interval between the actions of another thread. Shorter ones would amount to one long callout.
private let shortestNs: UInt64 = 100_000

extension Scenario.Timer {
  static let form = ItemForm(
    "a timer", Scenario.Timer(),
    [
      ItemField("name", \.name, .newName(.timer)),
      ItemField(
        [FormField("every", .duration, absent: 0), FormField("first", .duration)], [\.intervalNs, \.firstNs]
      ) { (_, fields, timer) throws(TextFileError) in
        let every = try fields.take("every")?.duration()
        let first = try fields.take("first")?.duration()
        guard let first = first ?? every else {
          throw fields.mistake("timer '\(timer.name)' needs 'every' or 'first'")
        }
        timer.firstNs = first
        timer.intervalNs = every ?? 0
      },
      ItemField("modes", \.modes, .modes, absent: [ModeName.default]),
      ItemField("do", \.body, .steps, absent: []),
      ItemField("tolerance", \.toleranceNs, .duration, absent: 0),
      ItemField("deferrable", \.isDeferrable, .flag, absent: false),
      ItemField("frames", \.isFrameSource, .flag, absent: false),
    ])
}

extension Scenario.Source {
  static let form = ItemForm(
    "a source", Scenario.Source(name: ""),
    [
      ItemField("name", \.name, .newName(.source)),
      ItemField("order", \.order, .number, absent: 0),
      ItemField("modes", \.modes, .modes, absent: [ModeName.default]),
      ItemField("do", \.body, .steps, absent: []),
    ])
}

extension Scenario.Observer {
  static let form = ItemForm(
    "an observer", Scenario.Observer(),
    [
      ItemField("name", \.name, .newName(.observer)),
      ItemField("at", \.activities, .list(.named("activity"))),
      ItemField("order", \.order, .number, absent: 0),
      ItemField("modes", \.modes, .modes, absent: [ModeName.default]),
      ItemField("repeats", \.repeats, .flag, absent: true),
      ItemField("do", \.body, .steps, absent: []),
    ])
}

extension Scenario.Gesture {
  static let form = ItemForm(
    "a gesture", Scenario.Gesture(),
    [
      ItemField("at", \.atNs, .duration),
      ItemField("for", \.forNs, .duration),
      ItemField("every", \.everyNs, .duration(atLeast: shortestNs), absent: 16_666_667),
      ItemField("do", \.body, .steps, absent: []),
    ])
}

extension Scenario.Task {
  static let form = ItemForm(
    "a background task", Scenario.Task(),
    [
      ItemField("name", \.name, .newName(.task)),
      ItemField("budget", \.budgetNs, .duration),
      ItemField("on expiry", \.onExpiry, .steps, absent: []),
    ])
}

extension Scenario.Service {
  static let form = ItemForm(
    "a service", Scenario.Service(),
    [
      ItemField("name", \.name, .newName(.service)),
      ItemField("every", \.everyNs, .duration(atLeast: shortestNs)),
      ItemField("modes", \.modes, .modes, absent: [ModeName.common]),
      ItemField("do", \.body, .steps, absent: []),
      ItemField("fixes", \.fixes, .number, absent: 0),
      ItemField("then", \.afterFixes, .steps, absent: []),
    ])
}

extension Scenario.Countdown {
  static let form = ItemForm(
    "a countdown", Scenario.Countdown(),
    [
      ItemField("name", \.name, .newName(.timer)),
      ItemField("from", \.fromNs, .duration),
      ItemField("every", \.everyNs, .duration(atLeast: shortestNs), absent: 1_000_000_000),
      ItemField("modes", \.modes, .modes, absent: [ModeName.default]),
      ItemField("clock", \.usesWallClock, .word(("wall", "monotonic"), "clock"), absent: false),
      ItemField("corrects", \.correctsEachTime, .word(("each time", "once"), "correction"), absent: false),
    ])
}

extension Scenario.Worker {
  static let form = ItemForm(
    "a worker", Scenario.Worker(),
    [
      ItemField("name", \.name, .newName(.worker)),
      ItemField("common modes", \.commonModes, .modes, absent: []),
      ItemField("timers", \.timers, Scenario.Timer.form.list, absent: []),
      ItemField("sources", \.sources, Scenario.Source.form.list, absent: []),
      ItemField("thread", \.body, .steps),
    ])
}

extension Scenario.Moment {
  static let form = ItemForm(
    "a moment", Scenario.Moment(atNs: 0, body: []),
    [
      ItemField("at", \.atNs, .duration),
      ItemField("do", \.body, .steps),
      ItemField(
        [FormField("every", .duration, absent: 0), FormField("until", .duration, absent: 0)],
        [\.everyNs, \.untilNs]
      ) { (_, fields, moment) throws(TextFileError) in
        guard let every = fields.take("every") else { return }
        moment.everyNs = try every.duration(atLeast: shortestNs)
        moment.untilNs = try fields.required("until").duration()
      },
    ])
}
