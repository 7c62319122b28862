import TraceAnalysis
import TraceGate

/// `gate --suggest`: a budget from several good runs.
extension GateCommand {
  func printSuggestion() throws {
    guard suggest.count >= BudgetSuggestion.fewestRuns else {
      throw Failure(
        status: .usage,
        message: "--suggest needs at least \(BudgetSuggestion.fewestRuns) runs, got \(suggest.count): "
          + "one run does not show how much the numbers vary")
    }
    let profile = try NamedProfile.load(profile)
    let traces = try suggest.map { try gated($0, BudgetSuggestion.rules, profile) }
    let suggestion = BudgetSuggestion(traces)
    if suggestion.runs < BudgetSuggestion.wantedRuns {
      Terminal.complain(
        "only \(suggestion.runs) runs: with \(BudgetSuggestion.wantedRuns), limits on times break less often"
      )
    }
    for left in suggestion.leftOut { Terminal.complain("no rule for \(harmless(left, limit: 200))") }
    guard !suggestion.lines.isEmpty else {
      throw Failure(status: .badData, message: "--suggest: no measure can be decided in all runs")
    }
    let derivations = suggestion.lines.map { "# \($0.rule.text): \($0.derivation)\n" }.joined()
    try Terminal.print(derivations + GateBudget.text(suggestion.lines.map(\.rule)))
  }
}
