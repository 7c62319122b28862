import RunLoopVocabulary

extension Scenario {
  /// A single action of a thread. It refers to items by name.
  package indirect enum Step: Equatable, Sendable {
    /// Keeps the thread busy, asleep or blocked for a time.
    case work(Work, ns: UInt64)
    /// The same for a random time, which depends on the seed of the recording.
    case someWork(Work, ns: ClosedRange<UInt64>)
    /// Runs the loop; `forNs` nil = without a limit.
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
    /// Moves a timer's due point to `inNs` from now.
    case reschedule(String, inNs: Int64)
    case addCommonMode(String)
    case mark(String)
    case lifeCycle(LifePhase)
    /// Sets a named state of the program; an empty value ends it.
    case state(String, value: String)
    /// Stops the whole process for a time.
    case suspend(ns: UInt64)
    /// Sets the wall clock forward, or back if the time is negative.
    case setClock(byNs: Int64)
    case beginTask(String)
    case endTask(String)
    case start(service: String)
    case halt(service: String)
  }

  /// The ways in which a thread spends time.
  package enum Work: String, CaseIterable, Sendable {
    /// Computes.
    case cpu
    case sleep
    /// Writes and reads a file.
    case disk
    /// Waits for a lock that another thread holds.
    case lock
    /// Waits for another process's answer.
    case ipc
    /// Waits for an answer over a loopback connection.
    case network
  }
}

extension Scenario.Step {
  /// The written form of each step: its key, its values, and the conversions between values and step. Reader, writer,
  /// scaling and the list of known keys derive from it.
  static let forms: [StepForm] =
    [StepForm("wake up", .wakeUp), StepForm("stop", .stop)]
    + Scenario.Work.allCases.map { work in
      StepForm(work.rawValue, .durationRange) { range in
        range.lowerBound == range.upperBound
          ? .work(work, ns: range.lowerBound) : .someWork(work, ns: range)
      } values: { step in
        switch step {
        case .work(work, let ns): ns...ns
        case .someWork(work, let range): range
        default: nil
        }
      }
    } + [
      StepForm(
        "run", short: "mode", FormField("mode", .mode, absent: ModeName.default),
        FormField("for", .optional(.duration), absent: .some(nil)),
        FormField("until source", .flag, absent: false), Self.run(mode:forNs:returnsAfterSource:)),
      StepForm("signal", .name(of: [.source]), Self.signal),
      StepForm(
        "perform", short: "do", FormField("modes", .modes, absent: [ModeName.default]),
        FormField("do", .steps), Self.perform(modes:body:)),
      StepForm("main", .steps, needsMain: true, Self.main),
      StepForm(
        "add", FormField("item", .name(of: ItemNames.items)), FormField("modes", .modes), Self.add(_:modes:)),
      StepForm(
        "remove", FormField("item", .name(of: ItemNames.items)), FormField("modes", .modes),
        Self.remove(_:modes:)),
      StepForm("invalidate", .name(of: ItemNames.items), Self.invalidate),
      StepForm(
        "reschedule", FormField("timer", .name(of: [.timer])), FormField("in", .signedDuration),
        Self.reschedule(_:inNs:)),
      StepForm("common mode", .mode, Self.addCommonMode),
      StepForm("mark", .text, Self.mark),
      StepForm("phase", .named("phase"), Self.lifeCycle),
      StepForm(
        "state", FormField("name", .text), FormField("value", .text, absent: ""), Self.state(_:value:)),
      StepForm("suspend", .duration, Self.suspend(ns:)),
      StepForm("set clock", .signedDuration, Self.setClock(byNs:)),
      StepForm("begin task", .name(of: [.task]), Self.beginTask),
      StepForm("end task", .name(of: [.task]), Self.endTask),
      StepForm("start", .name(of: [.service]), Self.start(service:)),
      StepForm("halt", .name(of: [.service]), Self.halt(service:)),
    ]
}
