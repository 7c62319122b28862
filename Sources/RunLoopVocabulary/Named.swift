/// What programs keep as a number, and people know by a name.
public protocol Named: CaseIterable {
  /// Written out in each type: to print a case the runtime reflects, which costs a start a million instructions per type.
  var name: String { get }
}

extension Named {
  /// Nil when none has the name.
  public init?(name: String) {
    guard let found = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = found
  }
}
