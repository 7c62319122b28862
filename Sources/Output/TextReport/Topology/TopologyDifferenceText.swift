import LoopTopology
import ReportWriting
import TraceAnalysis

/// Writes the difference of two run loops as text for people.
package struct TopologyDifferenceText {
  private let difference: TopologyDifference
  private let words: ItemWords
  private let style: TextStyle

  /// `readable` converts a symbol into a name that developers use.
  package init(
    _ difference: TopologyDifference, style: TextStyle, readable: @escaping (String) -> String
  ) {
    self.difference = difference
    self.style = style
    words = ItemWords(readable: readable)
  }

  package func lines(base: DumpPlace, other: DumpPlace) -> [String] {
    var lines = [side("base ", base), side("other", other), ""]
    lines += style.wrapped(
      summary + " "
        + (difference.isSameProcess
          ? "Both belong to one process, so items are matched by their addresses."
          : "They belong to two processes, so items are matched by kind, callout, order, interval and context."),
      indent: "", hanging: "")
    lines += section("Added", difference.added.map { "\(words.phrase($0.item)), in \(words.places($0))" })
    lines += section("Removed", difference.removed.map { "\(words.phrase($0.item)), in \(words.places($0))" })
    lines += section(
      "Moved",
      difference.moved.map {
        "\(words.phrase($0.other.item)): from \(words.places($0.base)) to \(words.places($0.other))"
      })
    lines += section(
      "Changed",
      difference.changed.map { pair in
        "\(words.phrase(pair.base.item)), in \(words.places(pair.other)): "
          + pair.fields.map { words.change($0, pair) }.joined(separator: ", ")
      })
    lines += section("Modes", modes())
    return lines
  }

  private func side(_ name: String, _ place: DumpPlace) -> String {
    TextTable.cut("\(name)  \(place.words)", style.width)
  }

  private var summary: String {
    let alike = "\(difference.alike) \(difference.alike == 1 ? "item is" : "items are") alike."
    guard !difference.isEmpty else { return "No difference: \(alike)" }
    return "\(difference.added.count) added, \(difference.removed.count) removed, "
      + "\(difference.moved.count) moved, \(difference.changed.count) changed; \(alike)"
  }

  private func section(_ title: String, _ sentences: [String]) -> [String] {
    sentences.isEmpty ? [] : ["", style.strong(title)] + sentences.flatMap { style.wrapped($0) }
  }

  private func modes() -> [String] {
    let lists = [
      ("added", difference.addedModes), ("removed", difference.removedModes),
      ("now common", difference.addedCommonModes), ("no longer common", difference.removedCommonModes),
    ].filter { !$0.1.isEmpty }.map { what, names in
      "\(what): \(names.map { harmless($0) }.joined(separator: ", "))"
    }
    let (base, other) = (difference.baseCurrentMode, difference.otherCurrentMode)
    let current = "current: \(base.map { harmless($0) } ?? "none") → \(other.map { harmless($0) } ?? "none")"
    return lists + (base == other ? [] : [current])
  }
}
