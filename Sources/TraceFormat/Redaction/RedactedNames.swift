/// Neutral names for the names of one trace: the same one for the same original, numbered by role in order of first use.
struct RedactedNames {
  /// Names that the system or rltrace gave, which say nothing about a program.
  private static let wellKnown = ModeName.ofSystems.union([ModeName.others, ThreadDefinition.recorderName])

  /// Roles whose names are apart from all others: a function `main` is not the thread of that name.
  private static let rolesOfCode: Set<String> = ["function", "file"]

  private var nameOfOriginal: [String: String] = [:]
  private var countOfRole: [String: Int] = [:]

  /// Originals that have a neutral name.
  var count: Int { nameOfOriginal.count }

  /// The neutral name of an original, nil for one that `name` has not met.
  func known(_ original: String) -> String? {
    RedactedNames.isKept(original) ? original : nameOfOriginal[original]
  }

  /// `number`: what a new name says; without one the next of its role.
  mutating func name(_ original: String, role: String, number: Int? = nil, mark: String = "") -> String {
    let key = Self.rolesOfCode.contains(role) ? "\(role)\0\(original)" : original
    if let known = Self.isKept(original) ? original : nameOfOriginal[key] { return known }
    let next = number ?? countOfRole[role, default: 0] + 1
    if number == nil { countOfRole[role] = next }
    let name = "\(role) \(next)\(mark)"
    nameOfOriginal[key] = name
    return name
  }

  /// The name of a mode; findings treat those of one word apart.
  mutating func mode(_ mode: ModeDefinition) -> String {
    let mark = ModeName.isTracking(mode.name) ? " (\(ModeName.trackingWord))" : ""
    return name(mode.name, role: "mode", number: Int(mode.id), mark: mark)
  }

  private static func isKept(_ name: String) -> Bool { name.isEmpty || wellKnown.contains(name) }
}
