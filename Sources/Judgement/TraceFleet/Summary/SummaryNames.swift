import Foundation
import RunLoopVocabulary

extension SessionSummary {
  /// The same numbers without names: rows that differ only in their names are merged. Capture levels, classes, causes,
  /// kinds and rules stay.
  package var withoutNames: SessionSummary { replacingNames(isOneToOne: false) { _, _ in "" } }

  /// Returns the same numbers with the result of `hash` for each name. Names that systems and rltrace define stay. Equal
  /// names get equal hashes, so such summaries can be merged.
  package func withNames(hashedBy hash: (String) -> String) -> SessionSummary {
    func hashed(_ name: String) -> String { Self.wellKnownNames.contains(name) ? name : hash(name) }
    return replacingNames(isOneToOne: true) { field, text in
      // A timer in several modes has their names in one string.
      field == "modes"
        ? text.components(separatedBy: ", ").map(hashed).joined(separator: ", ") : hashed(text)
    }
  }

  private func replacingNames(isOneToOne: Bool, _ replacement: (_ field: String, _ text: String) -> String)
    -> SessionSummary
  {
    var copy = self
    for (place, list) in SummaryList.all.enumerated() {
      let isPrivate = list.identity.map { SessionSummary.privateTexts.contains($0.name) }
      guard isPrivate.contains(true) else { continue }
      copy.lists[place] = [:]
      for (identity, row) in lists[place] {
        var row = row
        if row.longestIn != nil { row.longestIn = id }
        let texts = identity.enumerated().map { number, text in
          isPrivate[number] ? replacement(list.identity[number].name, text) : text
        }
        // The values of sessions cannot be merged across subjects.
        if !isOneToOne, list.name == SummaryList.measures.name, texts != identity { continue }
        copy.add(row, texts, to: place)
      }
      guard let count = list.place("sessions") else { continue }
      for identity in copy.lists[place].keys where sessions == 1 {
        copy.lists[place][identity]?.numbers[count] = 1
      }
    }
    return copy
  }

  /// The strings that may hold names from the program.
  private static let privateTexts: Set<String> = [
    "mode", "modes", "timer", "queue", "state", "value", "name", "function", "image", "subject",
  ]

  /// Strings that reveal nothing about a program.
  private static let wellKnownNames = ModeName.ofSystems.union([
    "", "common modes", ModeName.others, SummaryList.others,
  ])
}
