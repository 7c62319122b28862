import TraceAnalysis
import TraceTables

extension Shown {
  /// Returns the value as text. `thread` returns the name of a thread.
  package func text(thread: (UInt32) -> String = { "\($0)" }) -> String {
    switch self {
    case .time(let ns): Units.duration(ns)
    case .moment(let start, _): Units.moment(start)
    case .count(let count): "\(count)"
    case .share(let share): "\(Units.significant(share * 100)) %"
    case .timeChange(let ns): ns == 0 ? "" : "\(ns < 0 ? "−" : "+")\(Units.duration(ns.magnitude))"
    case .change(let count): count == 0 ? "" : "\(count < 0 ? "−" : "+")\(count.magnitude)"
    case .thread(let index): thread(index)
    // A table limits its own width.
    case .name(let name): elided(name, limit: Sentence.nameLimit)
    // Words may include names from the trace.
    case .words(let words): harmless(words, limit: .max)
    case .unknown: "–"
    }
  }
}

extension TextTable {
  /// Creates a table of the rows of a result, with the columns that its declaration assigns to text.
  package init<Row>(_ columns: [Column<Row>], _ rows: [Row], thread: (UInt32) -> String = { "\($0)" }) {
    self.init(columns.shownColumns(), rows.map { columns.shown($0) }, thread: thread)
  }

  private init(_ columns: [ShownColumn], _ rows: [[Shown]], thread: (UInt32) -> String) {
    self.init(
      columns.map(\.title), leftColumns: columns.prefix { $0.isOfWords }.count,
      wholeColumns: Set(columns.indices.filter { columns[$0].isSource }))
    for row in rows { add(row.map { $0.text(thread: thread) }) }
  }
}
