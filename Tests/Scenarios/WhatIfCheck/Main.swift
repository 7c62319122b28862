import ArgumentParser

/// Predicts random changes of random scenarios, and plays the scenarios with the changes. A prediction that is declared
/// exact must equal the outcome.
@main struct Main: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "what-if-check",
    abstract: "Compares predictions with actual outcomes, in virtual time.",
    discussion: """
      Ends with status 1 when a prediction is wrong.

      Examples:
        what-if-check --count 10000 --seed 1
        what-if-check --seed 4711 --count 1 --verbose
      """)

  @Option(help: "How many scenarios.")
  var count = 1000
  @Option(help: "The seed of the first scenario. Each of the others uses the next seed.")
  var seed: UInt64?
  @Flag(help: "Replay without a change.")
  var nothing = false
  @Flag(help: "Print every outcome.")
  var verbose = false

  @Flag(help: "Print the scenarios.")
  var show = false

  private static let reportsAtMost = 5

  func run() throws {
    let first = seed ?? UInt64.random(in: 0..<1_000_000_000)
    let check = WhatIfCheck()
    var counts: [String: Int] = [:]
    var reasons: [String: Int] = [:]
    var wrong = 0
    for seed in first..<(first + UInt64(count)) {
      let outcome = nothing ? check.fidelity(seed: seed) : check.outcome(seed: seed)
      if show { for text in try check.texts(seed: seed) { print(text) } }
      if verbose { print("\(seed): \(outcome)") }
      switch outcome {
      case .equal: counts["equal", default: 0] += 1
      case .skipped: counts["skipped", default: 0] += 1
      case .doubtful(let reason):
        counts["doubtful", default: 0] += 1
        reasons[reason.filter { !$0.isNumber }, default: 0] += 1
      case .refused(let reason):
        counts["refused", default: 0] += 1
        reasons[
          reason.split(separator: "'").last.map(String.init)?.filter { !$0.isNumber } ?? "", default: 0] += 1
      case .wrong(let what):
        wrong += 1
        if wrong <= Self.reportsAtMost { print("seed \(seed): \(what)") }
      }
    }
    for (reason, count) in reasons.sorted(by: { $0.value > $1.value }).prefix(20) {
      print("\(count): \(reason)")
    }
    print(
      "seed \(first): "
        + counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        + ", \(wrong) wrong")
    if wrong > 0 { throw ExitCode(1) }
  }
}
