import LoopTopology
import TraceAnalysis
import TraceTables

extension AnalysisText {
  /// Per mode, over time; then what is empty, and what nobody can know.
  func inventory() -> [String] {
    guard !analysis.snapshots.isEmpty else { return [] }
    var lines = table(InventoryTables.inventory, analysis.inventory, limit: 2 * AnalysisText.shown)
    for loop in unique(analysis.snapshots.map(\.loop)) {
      let snapshots = analysis.snapshots.filter { $0.loop == loop }
      let moments = snapshots.prefix(4).map { "\(Units.moment($0.timeNs)) (\($0.reason.name))" }
      let rest = snapshots.count - moments.count
      var sentence =
        "\(harmless(loop)): \(Say.count(snapshots.count, "snapshot", "snapshots")), "
        + moments.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
      let empty =
        snapshots.last?.topology.modes.filter(\.hasNoSourcesOrTimers).map { harmless($0.name) } ?? []
      if !empty.isEmpty {
        sentence += "; no sources and timers at last in \(empty.joined(separator: ", ")): "
        sentence += "runs of such a mode return at once"
      }
      if snapshots.contains(where: \.hasUnseenItems) {
        sentence += "; it may hold items that the recorder did not see added"
      }
      lines += style.wrapped(sentence)
    }
    return lines
  }

  func runs() -> [String] {
    analysis.snapshots.isEmpty ? [] : table(InventoryTables.runs, analysis.runs)
  }

  private func unique(_ names: [String]) -> [String] {
    names.enumerated().filter { !names[..<$0.offset].contains($0.element) }.map(\.element)
  }
}
