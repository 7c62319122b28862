/// Suggestions for messages about an unknown name.
package enum KnownNames {
  /// The maximum number of names in a message.
  private static let listed = 12
  /// The longest name, in characters, that is compared.
  private static let longest = 100

  /// Returns the end of a message, beginning with a semicolon: the nearest name and a list of the known names.
  package static func hint(_ name: String, in known: [String], limit: Int = listed) -> String {
    guard !known.isEmpty else { return "; no names are known" }
    let nearest = nearest(to: name, in: known).map { "did you mean '\($0)'? " } ?? ""
    let more = known.count > limit ? " and \(known.count - limit) more" : ""
    return "; \(nearest)known: \(known.prefix(limit).joined(separator: ", "))\(more)"
  }

  /// Returns the suggestion without the list of known names; empty if no name is near.
  package static func suggestion(_ name: String, in known: [String]) -> String {
    nearest(to: name, in: known).map { "; did you mean '\($0)'?" } ?? ""
  }

  /// Returns the name that the user probably meant: one that differs only in case, the only one that contains the
  /// name, or the one with the fewest letters to change.
  package static func nearest(to name: String, in known: [String]) -> String? {
    let asked = Array(name.lowercased())
    guard asked.count <= longest, !asked.isEmpty else { return nil }
    let candidates = known.filter { $0.count <= longest }.map { (name: $0, letters: Array($0.lowercased())) }
    if let same = candidates.first(where: { $0.letters == asked }) { return same.name }
    if asked.count >= 3 {
      let containing = candidates.filter { isPart(asked, of: $0.letters) }
      if containing.count == 1 { return containing[0].name }
    }
    let mostChanges = min(3, max(1, asked.count / 3))
    let near = candidates.map { (name: $0.name, changes: changes(from: asked, to: $0.letters)) }
      .filter { $0.changes <= mostChanges }
    return near.min { $0.changes < $1.changes }?.name
  }

  private static func isPart(_ part: [Character], of whole: [Character]) -> Bool {
    guard part.count <= whole.count else { return false }
    return (0...whole.count - part.count).contains { whole[$0..<$0 + part.count].elementsEqual(part) }
  }

  /// Returns the number of letters to insert, remove or replace, or of neighbours to swap (optimal string alignment).
  private static func changes(from one: [Character], to other: [Character]) -> Int {
    var before: [Int] = []
    var last = Array(0...other.count)
    for (i, letter) in one.enumerated() {
      var row = [i + 1]
      for (j, wanted) in other.enumerated() {
        var least = min(last[j + 1] + 1, row[j] + 1, last[j] + (letter == wanted ? 0 : 1))
        if i > 0, j > 0, letter == other[j - 1], one[i - 1] == wanted {
          least = min(least, before[j - 1] + 1)
        }
        row.append(least)
      }
      (before, last) = (last, row)
    }
    return last[other.count]
  }
}
