import ReportWriting
import TraceResults

/// The user's choices: table, span, filter, order.
package struct WatchChoices: Sendable {
  /// The action that the caller must take after a key.
  package enum Action: Equatable, Sendable {
    case none, quit, snapshot
  }

  /// The lengths of the analyzed span.
  package static let spansNs: [UInt64] = [1_000_000_000, 10_000_000_000, 60_000_000_000]

  package private(set) var view = WatchView.timers
  package private(set) var spanNs = WatchChoices.spansNs[1]
  /// Whether the screen keeps its content.
  package private(set) var isPaused = false
  private(set) var filter = ""
  private(set) var isTypingFilter = false
  private(set) var showsHelp = false
  private(set) var showsDetails = false
  private(set) var selected = 0
  /// The column by which the view is sorted; nil = the view's own.
  private(set) var column: [WatchView: Int] = [:]

  package init() {}

  /// Handles a key. Returns the action that the caller must take.
  package mutating func take(_ key: WatchKey) -> Action {
    if isTypingFilter {
      typeFilter(key)
      return .none
    }
    if showsHelp {
      showsHelp = false
      return key == .character("q") ? .quit : .none
    }
    switch key {
    case .character("q"): return .quit
    case .character("w"): return .snapshot
    case .character("?"): showsHelp = true
    case .character(" "): isPaused.toggle()
    case .character("/"):
      filter = ""
      isTypingFilter = true
    case .character("1"): spanNs = WatchChoices.spansNs[0]
    case .character("2"): spanNs = WatchChoices.spansNs[1]
    case .character("3"): spanNs = WatchChoices.spansNs[2]
    case .character("<"), .left: sort(by: -1)
    case .character(">"), .right: sort(by: 1)
    case .up, .character("k"): selected = max(0, selected - 1)
    case .down, .character("j"): selected += 1
    case .enter: showsDetails.toggle()
    case .escape:
      if showsDetails { showsDetails = false } else { filter = "" }
    case .character(let letter):
      guard let chosen = WatchView(rawValue: letter) else { break }
      view = chosen
      selected = 0
      showsDetails = false
    case .backspace: break
    }
    return .none
  }

  private mutating func typeFilter(_ key: WatchKey) {
    switch key {
    case .character(let letter): filter.append(letter)
    case .backspace: _ = filter.popLast()
    case .enter: isTypingFilter = false
    case .escape:
      filter = ""
      isTypingFilter = false
    default: break
    }
    selected = 0
  }

  private mutating func sort(by step: Int) {
    let now = column[view] ?? WatchScreen.sortedAtFirst(view)
    column[view] = max(0, now + step)
  }
}

/// Draws an analysis as the lines of a terminal screen.
package struct WatchScreen {
  private let analysis: Analysis
  private let status: WatchStatus
  private let choices: WatchChoices
  private let width: Int
  private let height: Int
  private let style: TextStyle

  /// `width` and `height` in characters; a screen smaller than 40 × 8 is cut.
  package init(
    _ analysis: Analysis, _ status: WatchStatus, _ choices: WatchChoices, width: Int, height: Int,
    isColoured: Bool
  ) {
    self.analysis = analysis
    self.status = status
    self.choices = choices
    self.width = width
    self.height = height
    style = TextStyle(isColoured: isColoured, width: width)
  }

  static func sortedAtFirst(_ view: WatchView) -> Int { max(0, WatchTable(view, Analysis.empty).sorted) }

  /// Returns `height` lines of at most `width` characters, without control characters except colours.
  package func lines() -> [String] {
    var lines = header()
    lines += choices.showsHelp ? help : table(room: max(0, height - lines.count - 1))
    lines = Array(lines.prefix(max(0, height - 1)))
    lines += Array(repeating: "", count: max(0, height - 1 - lines.count))
    return lines + [footer]
  }

  private func cut(_ text: String) -> String { TextTable.cut(text, width) }

  private func header() -> [String] {
    let title = "\(status.title)  \(status.clock)"
    let counts = status.counts(analysis)
    let space = width - title.count - counts.count
    var lines = [cut(space >= 2 ? title + String(repeating: " ", count: space) + counts : title)]
    if space < 2 { lines.append(cut("  \(counts)")) }
    let loops = LoopNow.all(analysis)
    for now in loops.prefix(max(1, min(3, height - 12))) { lines.append(line(now)) }
    if loops.isEmpty, !analysis.work.isRecorded { lines.append(cut("no run loop has run in this span")) }
    for now in QueueNow.all(analysis).filter(\.isAlarming).prefix(max(0, min(2, height - 14))) {
      lines.append(style.alarm(cut(now.text + " ▲")))
    }
    if let delay = analysis.inputDelay, delay.hangs > 0 {
      lines.append(
        style.caution(
          cut(
            "\(Phrase.count(delay.hangs, "hang", "hangs")) of 250 ms or more, \(Units.duration(delay.hangNs)), in the last \(spanText)"
          )))
    }
    for source in analysis.frames.declared().filter({ $0.hitchNs > 0 }).prefix(max(0, min(2, height - 14))) {
      let text = "frames of \(harmless(source.name)): \(source.hitchWords), in the last \(spanText)"
      lines.append(source.band == .bad ? style.alarm(cut(text)) : style.caution(cut(text)))
    }
    lines.append(tabs)
    return lines
  }

  private var spanText: String { Units.duration(analysis.trace.toNs &- analysis.trace.fromNs) }

  private func line(_ now: LoopNow) -> String {
    let left = "\(now.name)  \(now.text)\(now.isHang ? " ▲" : "")"
    let right = "  \(now.share) "
    let bars = now.sparkline(width: max(0, min(30, width - left.count - right.count)))
    let text = cut(left + right + bars)
    return now.isHang ? style.alarm(text) : text
  }

  private var tabs: String {
    var text = ""
    var plain = 0
    for view in WatchView.shown(analysis) {
      guard plain + view.tab.count + 1 <= width else { break }
      text += (view == choices.view ? style.strong(view.tab) : style.dim(view.tab)) + " "
      plain += view.tab.count + 1
    }
    let span = "last \(Units.duration(choices.spanNs))"
    while text.last == " " { text.removeLast() }
    plain -= 1
    return plain + 1 + span.count <= width
      ? text + String(repeating: " ", count: width - plain - span.count) + span : text
  }

  private var footer: String {
    if choices.isTypingFilter { return cut("filter: \(harmless(choices.filter))_") }
    let filter = choices.filter.isEmpty ? "" : "  filter: \(harmless(choices.filter))"
    return style.dim(
      cut(
        "q quit  space \(choices.isPaused ? "resume" : "pause")  < > sort  / filter  1 2 3 span  ? help\(filter)"
      )
    )
  }

  private var help: [String] {
    let queues = analysis.work.isRecorded ? ["  b               the queues whose work waits"] : []
    let others = [
      "  1 2 3           the last 1, 10 or 60 s",
      "  up down         select a row; enter shows its details, esc hides them",
      "  < >             sort by the next column to the left or right",
      "  /               show only rows with this text; esc shows all",
      "  space           pause the screen",
      "  w               save up to the last 60 s as a trace",
      "  q               quit; the recording goes on", "", "  any key goes back",
    ]
    return (["", "  l m t c u s f   the seven tables"] + queues + others).map(cut)
  }

  private func table(room: Int) -> [String] {
    let table = WatchTable(choices.view, analysis)
    let filter = choices.filter.lowercased()
    var rows = table.rows.filter { row in
      filter.isEmpty || row.cells.contains { $0.text.lowercased().contains(filter) }
    }
    let chosen = choices.column[choices.view]
    let column = min(chosen ?? table.sorted, table.columns.count - 1)
    if column >= 0 { rows = WatchScreen.sorted(rows, by: column) }
    guard !rows.isEmpty else {
      return [
        cut(
          filter.isEmpty ? "  (nothing in this span)" : "  (no row contains \"\(harmless(choices.filter))\")")
      ]
    }
    let selected = min(choices.selected, rows.count - 1)
    let widths = widths(table, rows)
    var lines = [
      style.dim(
        self.line(table.columns.enumerated().map { $1 + ($0 == column ? "▾" : "") }, widths, mark: " "))
    ]
    let details = choices.showsDetails ? rows[selected].details : []
    let fitting = room - 1 - details.count
    let visible = max(1, rows.count > fitting ? fitting - 1 : fitting)
    let first = max(0, min(selected - visible + 1, rows.count - visible))
    for (at, row) in rows.enumerated().dropFirst(first).prefix(visible) {
      let text = line(row.cells.map(\.text), widths, mark: at == selected ? ">" : row.isAlarming ? "▲" : " ")
      lines.append(row.isAlarming ? style.alarm(text) : at == selected ? style.strong(text) : text)
      if at == selected { lines += details.map { style.dim(cut("    \($0)")) } }
    }
    let hidden = rows.count - first - visible
    if hidden > 0 { lines.append(style.dim(cut("  \(hidden) more"))) }
    return lines
  }

  private static func sorted(_ rows: [WatchTable.Row], by column: Int) -> [WatchTable.Row] {
    rows.enumerated().sorted { a, b in
      let (left, right) = (a.element.cells[column], b.element.cells[column])
      if let x = left.value, let y = right.value, x != y { return x > y }
      if left.value == nil, left.text != right.text { return left.text < right.text }
      return a.offset < b.offset
    }.map(\.element)
  }

  private func widths(_ table: WatchTable, _ rows: [WatchTable.Row]) -> [Int] {
    var widths = table.columns.indices.map { column in
      max(table.columns[column].count + 1, rows.map { $0.cells[column].text.count }.max() ?? 0)
    }
    // The name is narrowed first, then the last columns are left out.
    func total() -> Int { widths.reduce(2) { $0 + ($1 > 0 ? $1 + 2 : 0) } }
    widths[0] = min(widths[0], max(20, width / 2))
    while total() > width, widths[0] > 20 { widths[0] -= 1 }
    for column in widths.indices.dropFirst().reversed() where total() > width { widths[column] = 0 }
    return widths
  }

  private func line(_ cells: [String], _ widths: [Int], mark: String) -> String {
    var text = mark + " "
    for (column, cell) in cells.enumerated() where widths[column] > 0 {
      let isText = column == 0 || cell.first.map(\.isLetter) ?? false
      text += TextTable.pad(TextTable.cut(cell, widths[column]), widths[column], left: isText) + "  "
    }
    while text.last == " " { text.removeLast() }
    return cut(text)
  }
}

extension Analysis {
  /// An empty analysis.
  static var empty: Analysis { Analysis(trace: TraceResult()) }
}
