import ReportWriting
import TraceAnalysis
import TraceFormat
import TraceReplay
import TraceTables

/// The tables of a report, with the columns that their declarations assign to the page. Keys are those of `analyze
/// --format json`.
struct ReportTables {
  /// A row with its path in the document; nil = it has none.
  typealias Placed<Row> = (row: Row, key: String?)

  let analysis: Analysis
  var names: NameList
  private let threadNames: ThreadNames

  init(analysis: Analysis, names: NameList) {
    self.analysis = analysis
    self.names = names
    threadNames = ThreadNames(analysis.trace.threads)
  }

  // MARK: Columns

  /// Returns a table of the first `limit` rows, in the order of the document. `list` is the parent of the list in the
  /// document. `omitted` is the number of rows that the list lacks; `rest` describes the rows that are left out.
  mutating func table<Row>(
    _ result: ResultTable<Row>, id: String? = nil, _ caption: String, _ rows: [Row], at list: String? = nil,
    limit: Int = .max, omitted: Int = 0, _ rest: String = ""
  ) -> Table {
    let place = list.map { "\($0).\(result.name)" } ?? result.name
    return table(
      result, id: id, caption, placed: placed(place, Array(rows.prefix(limit))),
      omitted: omitted + max(0, rows.count - limit), rest)
  }

  mutating func table<Row>(
    _ result: ResultTable<Row>, id: String? = nil, _ caption: String, placed rows: [Placed<Row>],
    omitted: Int = 0, _ rest: String = ""
  ) -> Table {
    let columns = result.columns(for: .page, showing: rows.map(\.row))
    var table = table(
      id ?? result.name, caption, columns.shownColumns(), rows.map { (columns.shown($0.row), $0.key) })
    table.rest = omitted > 0 ? "\(omitted) \(rest)" : nil
    return table
  }

  private mutating func table(
    _ id: String, _ caption: String, _ columns: [ShownColumn], _ rows: [Placed<[Shown]>]
  ) -> Table {
    var table = Table(id, caption, columns)
    for row in rows { table.add(cells(columns, row)) }
    return table
  }

  mutating func cells<Row>(_ columns: [Column<Row>], _ placed: Placed<Row>) -> [Cell] {
    cells(columns.shownColumns(), (columns.shown(placed.row), placed.key))
  }

  private mutating func cells(_ columns: [ShownColumn], _ placed: Placed<[Shown]>) -> [Cell] {
    zip(columns, placed.row).enumerated().map { place, shown in
      let path = shown.0.key.flatMap { below in placed.key.map { "\($0).\(below)" } }
      return cell(shown.1, shown.0.isOfWords ? nil : path, path, isHead: place == 0)
    }
  }

  /// Returns a cell. `wordsKey` is the key for words; words that replace a number differ from the document.
  private mutating func cell(_ shown: Shown, _ key: String?, _ wordsKey: String?, isHead: Bool) -> Cell {
    switch shown {
    case .time(let ns): .ns(ns, key)
    case .moment(let start, let length): .moment(start, length: length, key)
    case .count(let count): .count(count, key)
    case .share(let share): .share(share, key)
    case .thread(let index): .name(threadNames[index], &names, isHead: isHead)
    case .name(let name): .name(name, &names, isHead: isHead)
    case .words(let words): .text(words, key == nil ? wordsKey : nil)
    case .unknown, .timeChange, .change: .none(key)
    }
  }

  func placed<Row>(_ list: String, _ rows: [Row]) -> [Placed<Row>] {
    rows.enumerated().map { ($1, "\(list)[\($0)]") }
  }

  /// Returns the rows sorted by a length, the longest first.
  func longestFirst<Row>(_ list: String, _ rows: [Row], by length: KeyPath<Row, UInt64>) -> [Placed<Row>] {
    placed(list, rows).ordered { $0.row[keyPath: length] > $1.row[keyPath: length] }
  }

  // MARK: Tables that are more than the rows of a result

  mutating func latencies() -> Table {
    table(
      LatencyTables.latencies, "Latencies by mode",
      placed: (LatencyTables.ofModes(analysis.modes) + LatencyTables.ofQueues(analysis.queues)).map {
        ($0, $0.key)
      })
  }

  var timersInTrouble: [Placed<TimerResult>] {
    let timers = placed(TimerTables.timers.name, analysis.timers)
    return analysis.timers.mostStarvedFirst.map { timers[$0] }
  }

  /// Returns the outcome of the points in each mode, for timers in trouble.
  mutating func duePointsByMode() -> Table {
    let rows = timersInTrouble.flatMap { timer in
      (timer.row.ledger?.byMode ?? []).enumerated().map { place, points in
        (row: (timer: timer.row, points: points), key: timer.key.map { "\($0).by_mode[\(place)]" })
      }
    }
    return table(
      TimerTables.timerModes, "Due points, by the mode in which they came due", placed: rows
    )
  }

  mutating func causes() -> Table {
    let columns =
      [
        TimerTables.name,
        TimerTables.totalLateness.headed("total lateness", "The sum over its fires.", at: 2),
      ]
      + TimerTables.ledger.cells
    var table = Table(
      "causes", "Lateness of timers by cause: fires by time, skipped points by number",
      columns.shownColumns())
    for timer in timersInTrouble where timer.row.wasLate {
      var cells = cells(columns, timer)
      for (place, skipped) in zip(2..., TimerTables.skippedBy.parts) {
        let isLate = cells[place].ns != 0
        guard let count = skipped.count(timer.row), count > 0 else {
          if !isLate { cells[place].text = "" }
          continue
        }
        cells[place].text += " + \(Cell.grouped(count)) skipped"
      }
      table.add(cells)
    }
    return table
  }

  /// Returns the sources of version 0, from signal to callout, and those of version 1, which are not signalled.
  mutating func sources() -> Table {
    var table = table(
      CalloutTables.sources, "Sources: time from signal to callout", analysis.sources)
    let counts = CalloutTables.sources.columns(for: .page).dropFirst(2)
    for callout in analysis.callouts where callout.kind == CalloutKind.source1.rawValue {
      table.add(
        [.name(callout.name, &names, isHead: true), .text(callout.kind)]
          + counts.map { $0.measure == .callouts ? .count(callout.count) : .none(nil) })
    }
    return table
  }

  mutating func starvation(_ number: Int, _ group: Starvation.Group) -> Table {
    table(
      Starvation.variants, id: "\(Starvation.variants.name)-\(number)",
      "Outcome of the due points of \(harmless(group.name)), every \(group.interval)",
      placed: group.variants.map { ($0, "\(TimerTables.timers.name)[\($0.place)]") })
  }
}
