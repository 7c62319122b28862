/// String ids by what they say: a recorder may give one name several ids, since code has several addresses.
struct SameText: Sendable {
  /// The lowest id of the same text, for all others.
  private var lowest: [StringID: StringID] = [:]

  init(_ strings: [UInt32: String]) {
    var idOfText: [String: StringID] = [:]
    for id in strings.keys.sorted() {
      guard let text = strings[id] else { continue }
      if let known = idOfText[text] { lowest[StringID(id)] = known } else { idOfText[text] = StringID(id) }
    }
  }

  /// One id for all of a text.
  func id(_ id: StringID) -> StringID { lowest.isEmpty ? id : lowest[id] ?? id }
}
