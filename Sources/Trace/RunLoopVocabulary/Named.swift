/// A value that programs store as a number and people know by a name.
package protocol Named: CaseIterable {
  /// Each type lists its names: printing a case needs reflection, which costs a million instructions per type at
  /// start.
  var name: String { get }
}

extension Named {
  /// The case with this name; nil when there is none.
  package init?(name: String) {
    guard let found = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = found
  }
}
