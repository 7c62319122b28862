import Scenario
import ScenarioRunners
import TestSupport
import TraceFormat
import WhatIf

/// Compares predictions in virtual time with the scenarios that they predict.
package struct WhatIfCheck {
  package enum Outcome: Equatable {
    /// The prediction is declared exact, and every event of the loop's thread is equal.
    case equal
    /// The prediction states doubts.
    case doubtful(String)
    /// The prediction was refused.
    case refused(String)
    /// The scenario cannot be recorded in virtual time, or has nothing to change.
    case skipped
    /// The prediction was declared exact, but is wrong.
    case wrong(String)
  }

  private static let stepLimit = 3000
  /// A scenario with more events was cut off by the step limit.
  private static let eventLimit = 10_000

  package init() {}

  /// Two of three scenarios have only observers that take no time, so that more predictions are exact.
  func scenario(seed: UInt64) -> Scenario {
    var scenario = RandomScenario(seed: seed).scenario
    if seed.isMultiple(of: 2) { addTies(to: &scenario, seed: seed) }
    if !seed.isMultiple(of: 3) { scenario.observers.removeAll { !$0.body.isEmpty } }
    // Invalidating an item that is already invalid is not recorded, and may have an effect after a change.
    scenario.mapSteps { if case .invalidate = $0 { .wakeUp } else { $0 } }
    return scenario
  }

  /// Adds threads that signal sources at moments at which other things happen.
  private func addTies(to scenario: inout Scenario, seed: UInt64) {
    var random = SeededGenerator(seed: seed &* 0xD134_2543_DE82_EF95 &+ 3)
    for source in scenario.sources where random.oneIn(2) {
      scenario.others.append(
        Scenario.Moment(
          atNs: random.next() % 20 * 1_000_000, everyNs: (1 + random.next() % 20) * 1_000_000,
          untilNs: random.next() % 300 * 1_000_000, body: [.signal(source.name), .wakeUp]))
    }
  }

  /// Predicts a random change of a random scenario, and plays the scenario with the change.
  package func outcome(seed: UInt64) -> Outcome {
    let original = scenario(seed: seed)
    let changed = ChangedScenario(original, seed: seed)
    guard !changed.texts.isEmpty, let before = trace(original), let after = trace(changed.scenario) else {
      return .skipped
    }
    return outcome(before, changed.texts, after)
  }

  /// Replays a random scenario without a change.
  package func fidelity(seed: UInt64) -> Outcome {
    guard let trace = trace(scenario(seed: seed)) else { return .skipped }
    return outcome(trace, ["nothing"], trace)
  }

  func outcome(_ before: [UInt8], _ texts: [String], _ after: [UInt8]) -> Outcome {
    do {
      let reader = try openTrace(before)
      let predictor = try Predictor(reader)
      let sink = MemorySink()
      let prediction = try predictor.predict(
        try texts.map { try ChangeParser.read($0) }, to: sink, codec: NoCodec())
      if let doubt = prediction.doubts.first {
        return .doubtful(
          doubt
            + (predictor.isExact
              ? ""
              : " \(predictor.fidelity.map { ($0.inferredArrivals, $0.inferredWakes, $0.residues.first?.maxNs ?? 0) })")
        )
      }
      let predicted = try lines(sink.bytes), expected = try lines(after)
      guard let difference = firstDifference(predicted, expected) else { return .equal }
      return .wrong("\(texts): \(difference)")
    } catch let error as WhatIfError {
      switch error {
      case .undecided(let reason): return .refused(reason)
      case .usage(let reason): return .wrong(reason)
      case .trace(let error): return .wrong("\(error)")
      }
    } catch {
      return .wrong("\(error)")
    }
  }

  func trace(_ scenario: Scenario) -> [UInt8]? {
    let sink = MemorySink()
    guard
      let summary = try? VirtualRecording.record(
        scenario, sink: sink, unit: .ns1, codec: NoCodec(), stepLimit: Self.stepLimit),
      !summary.waitedForever, summary.events < Self.eventLimit
    else { return nil }
    return sink.bytes
  }

  /// The text form of a random scenario, its changes, and the changed scenario.
  package func texts(seed: UInt64) throws -> [String] {
    let original = scenario(seed: seed)
    let changed = ChangedScenario(original, seed: seed)
    return [
      try ScenarioWriter.write(original), "\(changed.texts)", try ScenarioWriter.write(changed.scenario),
    ]
  }

  /// The events of the loop's thread up to the end of its last run, with names in place of ids. Later events depend on
  /// which items still exist. Observers are left out, because in an exact prediction they take no time.
  private func lines(_ bytes: [UInt8]) throws -> [String] {
    let reader = try openTrace(bytes)
    let events = DecodedEvents()
    var names: [UInt32: String] = [:]
    var lines: [String] = []
    // Blocks may be defined by another thread, and all have one name.
    for (number, block) in reader.blocks.enumerated() where block.type == .events && block.thread == 0 {
      try reader.events(of: number, into: events)
      events.forEach { time, kind, mode, object, arguments in
        guard let row = EventTable.definition(of: EventKind(kind)), row.object != "observer" else { return }
        if row.role == .defines, row.object != "block" {
          names[object] =
            UInt32(arguments.first ?? 0) == 0 ? "" : reader.strings[UInt32(arguments.first ?? 0)] ?? ""
        }
        let due = row.role == .answersDue ? " \(arguments.first ?? 0)" : ""
        lines.append("\(time) \(row.name) \(reader.modes[mode] ?? "") \(names[object] ?? "")\(due)")
      }
    }
    let end = lines.lastIndex { $0.contains(" run.end ") }.map { $0 + 1 } ?? 0
    return Array(lines[..<end])
  }
}
