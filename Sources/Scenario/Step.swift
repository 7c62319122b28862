import RunLoopVocabulary

extension Scenario {
  /// One thing that a thread does. Items are named.
  public indirect enum Step: Equatable, Sendable {
    /// Keeps the thread busy, asleep or blocked for a time.
    case work(Work, ns: UInt64)
    /// The same for a random time, which the seed of the recording decides.
    case someWork(Work, ns: ClosedRange<UInt64>)
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
    case lifeCycle(LifePhase)
    /// The whole process is stopped.
    case suspend(ns: UInt64)
    case beginTask(String)
    case endTask(String)
    case start(service: String)
    case halt(service: String)
  }

  /// How a thread spends time.
  public enum Work: String, CaseIterable, Sendable {
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
  /// How each step is written: its key, its values, and how they become a step and come from one. Reader, writer, scaling
  /// and the list of known keys are made from it.
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
        FormField("until source", .flag, absent: false)
      ) {
        .run(mode: $0, forNs: $1, returnsAfterSource: $2)
      } values: {
        if case .run(let mode, let ns, let returns) = $0 { (mode, ns, returns) } else { nil }
      },
      StepForm("signal", .name(of: [.source])) {
        .signal($0)
      } values: {
        if case .signal(let name) = $0 { name } else { nil }
      },
      StepForm(
        "perform", short: "do", FormField("modes", .modes, absent: [ModeName.default]),
        FormField("do", .steps)
      ) {
        .perform(modes: $0, body: $1)
      } values: {
        if case .perform(let modes, let body) = $0 { (modes, body) } else { nil }
      },
      StepForm("main", .steps, needsMain: true) {
        .main($0)
      } values: {
        if case .main(let body) = $0 { body } else { nil }
      },
      StepForm("add", FormField("item", .name(of: ItemNames.items)), FormField("modes", .modes)) {
        .add($0, modes: $1)
      } values: {
        if case .add(let name, let modes) = $0 { (name, modes) } else { nil }
      },
      StepForm("remove", FormField("item", .name(of: ItemNames.items)), FormField("modes", .modes)) {
        .remove($0, modes: $1)
      } values: {
        if case .remove(let name, let modes) = $0 { (name, modes) } else { nil }
      },
      StepForm("invalidate", .name(of: ItemNames.items)) {
        .invalidate($0)
      } values: {
        if case .invalidate(let name) = $0 { name } else { nil }
      },
      StepForm("reschedule", FormField("timer", .name(of: [.timer])), FormField("in", .signedDuration)) {
        .reschedule($0, inNs: $1)
      } values: {
        if case .reschedule(let name, let ns) = $0 { (name, ns) } else { nil }
      },
      StepForm("common mode", .mode) {
        .addCommonMode($0)
      } values: {
        if case .addCommonMode(let mode) = $0 { mode } else { nil }
      },
      StepForm("mark", .text) {
        .mark($0)
      } values: {
        if case .mark(let name) = $0 { name } else { nil }
      },
      StepForm("phase", .named("phase")) {
        .lifeCycle($0)
      } values: {
        if case .lifeCycle(let phase) = $0 { phase } else { nil }
      },
      StepForm("suspend", .duration) {
        .suspend(ns: $0)
      } values: {
        if case .suspend(let ns) = $0 { ns } else { nil }
      },
      StepForm("begin task", .name(of: [.task])) {
        .beginTask($0)
      } values: {
        if case .beginTask(let name) = $0 { name } else { nil }
      },
      StepForm("end task", .name(of: [.task])) {
        .endTask($0)
      } values: {
        if case .endTask(let name) = $0 { name } else { nil }
      },
      StepForm("start", .name(of: [.service])) {
        .start(service: $0)
      } values: {
        if case .start(let name) = $0 { name } else { nil }
      },
      StepForm("halt", .name(of: [.service])) {
        .halt(service: $0)
      } values: {
        if case .halt(let name) = $0 { name } else { nil }
      },
    ]
}
