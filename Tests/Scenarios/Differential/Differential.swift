import ArgumentParser
import Foundation
import RunLoopModel
import Scenario
import TestSupport

/// Plays random scenarios on the model and on the real CFRunLoop with a virtual kernel. The events and their times
/// must be equal.
@main struct Differential: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Compares the model with the real CFRunLoop on random scenarios.",
    discussion: """
      Ends with status 1 when a scenario differs; with --mutate, when none does.

      Examples:
        differential --count 10000 --seed 1
        differential --mutate \(Fault.all[0].name)
        differential --write scenarios --frames --count 50
      """)

  @Option(help: "How many scenarios.")
  var count = 1000
  @Option(help: "The seed of the first scenario; the others use the numbers that follow.")
  var seed: UInt64?
  @Option(
    help:
      "Break a rule of the model, to check that it is detected: \(Fault.all.map(\.name).joined(separator: ", "))."
  )
  var mutate: Fault?
  @Flag(help: "Print nothing but the result.")
  var json = false

  @Flag(help: "Play calm scenarios on the real kernel, in real time, and compare only the order of events.")
  var realKernel = false
  @Option(help: "Only write the scenarios into this folder, each as SEED.yaml.")
  var write: String?
  @Flag(help: "Add frame sources to the scenarios that --write writes.")
  var frames = false
  @Flag(help: .hidden)
  var play = false

  private static let reportsAtMost = 5
  private static let linesBefore = 20

  func run() throws {
    if play { return try playHere() }
    let seed = seed ?? UInt64.random(in: 0..<1_000_000_000)
    if let write { return try writeScenarios(to: write, from: seed) }
    var rules = RunLoopRules.linux
    if let mutate { rules[keyPath: mutate.rule].toggle() }
    var agreed = 0, ran = 0
    for number in 0..<UInt64(count) {
      let scenario =
        realKernel
        ? CalmScenario(seed: seed &+ number).scenario : RandomScenario(seed: seed &+ number).scenario
      ran += 1
      if realKernel ? RealKernel.differs(scenario, report: !json) : TwoLoops.differ(scenario, rules) {
        if realKernel { continue }
        if !json { report(scenario, rules) }
        if mutate != nil || ran - agreed == Differential.reportsAtMost { break }
      } else {
        agreed += 1
      }
    }
    print("{\"run\": \(ran), \"agreed\": \(agreed), \"seed\": \(seed)}")
    if (agreed == ran) != (mutate == nil) { throw ExitCode(1) }
  }

  private func writeScenarios(to folder: String, from seed: UInt64) throws {
    for number in seed..<(seed &+ UInt64(count)) {
      let text = try ScenarioWriter.write(RandomScenario(seed: number, hasFrames: frames).scenario)
      try text.write(toFile: "\(folder)/\(number).yaml", atomically: false, encoding: .utf8)
    }
  }

  /// Plays a scenario in this process for another one: reads it from standard input, and prints its events.
  private func playHere() throws {
    let text = try FileHandle.standardInput.readToEnd() ?? Data()
    let scenario = try ScenarioReader.read(String(decoding: text, as: UTF8.self))
    let lines = TwoLoops.realHere(scenario)
    FileHandle.standardOutput.write(Data((lines.joined(separator: "\n") + "\n").utf8))
  }

  /// Returns whether a scenario is valid. Another part may still refer to a part that was removed.
  private func isPlayable(_ scenario: Scenario) -> Bool {
    (try? ScenarioReader.read(ScenarioWriter.write(scenario))) != nil
  }

  private func report(_ scenario: Scenario, _ rules: RunLoopRules) {
    let small = Shrinker.smallest(scenario) { isPlayable($0) && TwoLoops.differ($0, rules) }
    let text = (try? ScenarioWriter.write(small)) ?? "\(small)"
    print("\(scenario.name) differs; reduced to:\n\(text)")
    let real = TwoLoops.real(small), model = TwoLoops.model(small, rules: rules)
    let same = zip(real, model).prefix { $0 == $1 }.count
    for line in real[max(0, same - Differential.linesBefore)..<same] { print("    \(line)") }
    print("  ! the real loop: \(same < real.count ? real[same] : "nothing more")")
    print("  ! the model:     \(same < model.count ? model[same] : "nothing more")")
  }
}

/// A rule of the model that can be broken by name.
struct Fault: ExpressibleByArgument {
  let name: String
  let rule: WritableKeyPath<RunLoopRules, Bool>

  nonisolated(unsafe) static let all: [Fault] = [
    Fault(name: "missed-points-made-up", rule: \.missedPointsAreDropped),
    Fault(name: "grid-of-callouts", rule: \.gridIsOfDuePoints),
    Fault(name: "moved-date-forgotten", rule: \.laterFireDateIsHonoured),
    Fault(name: "no-blocks-after-sources", rule: \.blocksFollowSources),
    Fault(name: "waits-after-source", rule: \.handledSourceForbidsWaiting),
    Fault(name: "signal-cleared-late", rule: \.signalIsClearedBeforePerform),
    Fault(name: "wakes-while-awake", rule: \.wakeUpsAreIgnoredWhileAwake),
    Fault(name: "runs-on-after-source", rule: \.returnsAfterSource),
    Fault(name: "stop-before-time-out", rule: \.timeOutGoesBeforeStop),
    Fault(name: "stop-of-all-runs", rule: \.stopIsOfTheInnermostRun),
    Fault(name: "fires-while-firing", rule: \.firingTimerIsLeftOut),
    Fault(name: "blocks-join-the-batch", rule: \.blockBatchIsDetached),
    Fault(name: "drains-again-at-once", rule: \.drainIsNotRepeatedAtOnce),
    Fault(name: "empty-mode-waits", rule: \.emptyModeFinishes),
    Fault(name: "common-removal-of-any", rule: \.commonRemovalIsOfCommonItems),
    Fault(name: "removal-ends-common-item", rule: \.commonItemsLeaveOneMode),
    Fault(name: "empty-timer-disarmed", rule: \.emptyTimerIsDisarmed),
  ]

  init(name: String, rule: WritableKeyPath<RunLoopRules, Bool>) {
    self.name = name
    self.rule = rule
  }

  init?(argument: String) {
    guard let fault = Fault.all.first(where: { $0.name == argument }) else { return nil }
    self = fault
  }
}
