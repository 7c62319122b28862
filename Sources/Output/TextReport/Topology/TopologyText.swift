import LoopTopology
import ReportWriting
import TraceAnalysis

/// Writes the contents of a run loop as text for people. Each mode has a part, with its items in the loop's order.
package struct TopologyText {
  private let topology: Topology
  private let place: DumpPlace
  private let words: ItemWords
  private let style: TextStyle

  /// `readable` converts a symbol into a name that developers use.
  package init(
    _ topology: Topology, _ place: DumpPlace, style: TextStyle, readable: @escaping (String) -> String
  ) {
    self.topology = topology
    self.place = place
    self.style = style
    words = ItemWords(readable: readable)
  }

  package func lines() -> [String] {
    var lines = [
      style.strong(
        TextTable.cut(
          "Run loop \(loop), \(place.words)",
          style.width)),
      field(
        "current mode",
        topology.currentMode.map { harmless($0) }
          ?? (topology.statesCurrentMode ? "none: the loop was not running" : "not stated")),
      field("common modes", list(topology.commonModes)),
      field(
        "common items",
        "\(topology.commonItems.count)" + (topology.commonItems.isEmpty ? "" : ", marked * in the modes")),
      field("modes", "\(topology.modes.count)" + (topology.cut == nil ? "" : ", up to the end of the text")),
    ]
    lines += judgement()
    let current = topology.modes.filter { $0.name == topology.currentMode }
    for mode in current + topology.modes.filter({ $0.name != topology.currentMode }) {
      lines += [""] + part(mode)
    }
    return lines + glossary() + notes()
  }

  /// Returns what is wrong, and what the text lacks.
  private func judgement() -> [String] {
    let findings = topology.findings
    var sentences = findings.map { words.sentence($0, current: topology.currentMode) }
    if let cut = topology.cut {
      sentences.append("The text ends in line \(cut.line), inside the dump: the loop may hold more.")
    }
    if findings.contains(where: { $0.overdueNs != nil }), place.snapshot == nil {
      sentences.append("Time during which a debugger had stopped the process also counts as overdue.")
    }
    guard !sentences.isEmpty else { return [] }
    return [""] + sentences.flatMap { style.wrapped($0, indent: "", hanging: "  ") }
  }

  private var loop: String {
    let address = TopologyTables.hex(topology.address)
    return place.snapshot.map { "\(harmless($0.loop)), \(address)" } ?? address
  }

  private func field(_ name: String, _ value: String) -> String {
    TextTable.cut("  " + TextTable.pad(name, 14, left: true) + value, style.width)
  }

  private func list(_ names: [String]) -> String {
    names.isEmpty ? "none" : names.map { harmless($0) }.joined(separator: ", ")
  }

  // MARK: Modes

  private func part(_ mode: TopologyMode) -> [String] {
    var marks: [String] = []
    if topology.commonModes.contains(mode.name) { marks.append("common") }
    if topology.currentMode == mode.name { marks.append("current") }
    let title =
      style.strong(harmless(mode.name)) + (marks.isEmpty ? "" : " (\(marks.joined(separator: ", ")))")
    let parts = [
      sources("sources0", mode.sources0), sources("sources1", mode.sources1), observers(mode.observers),
      timers(mode.timers),
    ].flatMap(\.self)
    let empty = mode.hasNoSourcesOrTimers ? ["  no sources and no timers"] : []
    return [title] + parts + empty
  }

  private func sources(_ title: String, _ items: [LoopItem]) -> [String] {
    table(items, [title, "order", "state"]) { item in
      [words.number(item.order), words.state(item)]
    }
  }

  private func observers(_ items: [LoopItem]) -> [String] {
    table(items, ["observers", "activities", "order", "state"], leftColumns: 2) { item in
      [words.activities(item), words.number(item.order), words.state(item)]
    }
  }

  private func timers(_ items: [LoopItem]) -> [String] {
    table(items, ["timers", "interval", "fires in", "tolerance", "state"]) { item in
      [words.interval(item), words.firesIn(item), words.tolerance(item), words.state(item)]
    }
  }

  /// Returns the callout of each item, then its other cells. A column that is empty for every item is left out.
  private func table(
    _ items: [LoopItem], _ header: [String], leftColumns: Int = 1, _ cells: (LoopItem) -> [String]
  ) -> [String] {
    guard !items.isEmpty else { return [] }
    let rows = TopologyTables.rows(items, topology).map { row in
      [(row.isCommon ? "* " : "  ") + words.callout(row.item)] + cells(row.item)
    }
    let shown = header.indices.filter { column in column == 0 || rows.contains { !$0[column].isEmpty } }
    var table = TextTable(shown.map { header[$0] }, leftColumns: leftColumns)
    for row in rows { table.add(shown.map { row[$0] }) }
    return table.lines(style: style)
  }

  // MARK: Around the modes

  /// Explains the well-known modes and items of the loop, each once. For a dump, also lists the names that are not
  /// known; a snapshot has those that the program gave.
  private func glossary() -> [String] {
    var entries = topology.wellKnown.map { entry in
      let from = entry.from.map { " (\($0))" } ?? ""
      return
        "\(harmless(words.readable(entry.name), limit: 100))\(from): \(entry.purpose ?? WellKnown.unknown)"
    }
    let others = place.snapshot == nil ? topology.unknownNames : []
    let shown = others.prefix(AnalysisText.shown).map { harmless(words.readable($0), limit: 100) }
    if !shown.isEmpty { entries.append("\(WellKnown.unknown): \(shown.joined(separator: ", "))") }
    guard !entries.isEmpty else { return [] }
    return ["", style.strong("Glossary")] + entries.flatMap { style.wrapped($0) }
      + Hint.more(others.count - shown.count, Hint.json)
  }

  /// Returns the limits of the source, so that readers do not search for missing data.
  private func notes() -> [String] {
    if let snapshot = place.snapshot { return notes(on: snapshot) }
    let items = topology.inventory.map(\.item)
    let nameless = items.count { $0.callout?.name == nil }
    guard topology.form == .linux, nameless > 0 else { return [] }
    return [""]
      + style.wrapped(
        "\(nameless) of \(items.count) items have no name: Foundation on Linux finds only the names of exported functions, "
          + "and no names of timers. It does not keep tolerances either.", indent: "", hanging: "")
  }

  private func notes(on snapshot: TopologySnapshot) -> [String] {
    var sentences: [String] = []
    if !snapshot.isWhole { sentences.append("Events of this snapshot were lost: items may be missing.") }
    if snapshot.hasUnseenItems {
      sentences.append("The loop may hold more items: the recorder did not see some of them added.")
    }
    return sentences.isEmpty
      ? [] : [""] + style.wrapped(sentences.joined(separator: " "), indent: "", hanging: "")
  }
}

/// Lists the snapshots of a trace below one of them.
package enum SnapshotList {
  private static let shown = 20

  package static func lines(_ snapshots: [TopologySnapshot], style: TextStyle) -> [String] {
    guard snapshots.count > 1 else { return [] }
    let rows = snapshots.prefix(shown).enumerated().map { index, snapshot in
      "  \(TextTable.pad("\(index + 1)", 4, left: false))  \(harmless(snapshot.loop)) \(DumpPlace.moment(snapshot))"
    }
    let rest = snapshots.count - rows.count
    return ["", style.strong("Snapshots; \(Hint.snapshot)")]
      + rows.map { TextTable.cut($0, style.width) } + (rest > 0 ? ["  … and \(rest) more"] : [])
  }
}
