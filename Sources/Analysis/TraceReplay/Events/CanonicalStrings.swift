/// Maps string ids with the same text to one id. A recorder may give one name several ids, because code has several
/// addresses.
struct CanonicalStrings: Sendable {
  /// The lowest id with the same text, for all other ids.
  private var lowest: [StringID: StringID] = [:]

  init(_ strings: [UInt32: String]) {
    var idOfText: [String: StringID] = [:]
    for id in strings.keys.ordered() {
      guard let text = strings[id] else { continue }
      if let known = idOfText[text] { lowest[StringID(id)] = known } else { idOfText[text] = StringID(id) }
    }
  }

  /// Returns the common id of all ids with this text.
  func id(_ id: StringID) -> StringID { lowest.isEmpty ? id : lowest[id] ?? id }
}
