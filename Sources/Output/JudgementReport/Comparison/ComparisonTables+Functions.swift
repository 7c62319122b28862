import TraceAnalysis
import TraceComparison
import TraceTables

/// The table of compared functions, in documents and for people.
extension ComparisonTables {
  static let functions = ResultTable<ComparedFunction>(
    "functions", "functions of the program on the stacks of gaps, one row per function, mode and callout"
  ) {
    Column("function", "name of the function") { ShownName.of($0.name) }.shown(as: .name)
      .headed("function", at: 1)
    Column("image", "file name of the program or library; null = unknown") { $0.image }
    Column("thread", "role of the thread") { $0.thread }
    Column("mode", "mode of the gaps") { $0.mode }.shown(as: .name).headed("mode", at: 3)
    Column("callout", "callout with the most time in the gaps; empty = none was recorded") { $0.callout }
      .shown(as: .name).headed("callout", at: 2)
    Column.row(held, as: "base") { $0.base }
    Column.row(held, as: "new") { $0.new }
    Column(Heading("base", at: 4)) { $0.base.shownMean }.shown(as: .time)
    Column(Heading("new", at: 5)) { $0.new.shownMean }.shown(as: .time)
    Column("change_low_ns", "lower end of the 95 % interval of the change of the mean; null = not compared") {
      $0.changeNs?.lowerBound
    }
    Column("change_high_ns", "upper end of that interval") { $0.changeNs?.upperBound }
    Column(Heading("change", at: 6)) { $0.changeNs.map(ComparedFunction.text) }
    Column("p_value", "two-sided p-value, corrected for the number of functions; null = not compared") {
      $0.pValue
    }
    Column(Heading("p", at: 7)) { $0.pValue.map(Units.probability) }
    Column("difference", "none, minor or relevant") { $0.difference.name }
  }

  private static let held = ResultTable<HeldTime>("held", "gaps of the mode and callout in one trace") {
    Column("gaps", "number of sampled gaps, with the function or without it") { $0.gaps }
    Column("time_ns", "time for which it was the program's innermost function, by sampled stacks") {
      $0.timeNs
    }
    Column("mean_ns", "that time per gap; null = there is no gap") { $0.shownMean }
  }
}

extension HeldTime {
  /// Nil without gaps.
  fileprivate var shownMean: UInt64? { gaps == 0 ? nil : meanNs }
}
