/// Assigns neutral names to the names of one trace: equal originals get the same name, numbered by role in order of
/// first use.
struct RedactedNames {
  /// Names given by the system or by rltrace, which reveal nothing about a program.
  private static let wellKnown = ModeName.ofSystems.union([ModeName.others, ThreadDefinition.recorderName])

  /// Roles whose names are separate from all others: a function `main` is not the thread of that name.
  private static let rolesOfCode: Set<String> = ["function", "file"]

  private var nameOfOriginal: [String: String] = [:]
  private var countOfRole: [String: Int] = [:]

  /// The number of originals with a neutral name.
  var count: Int { nameOfOriginal.count }

  /// Returns the neutral name of an original; nil if `name` was never called for it.
  func known(_ original: String) -> String? {
    RedactedNames.isKept(original) ? original : nameOfOriginal[original]
  }

  /// Returns the neutral name of an original. `number`: the number in a new name; nil = the next of its role.
  mutating func name(_ original: String, role: String, number: Int? = nil, mark: String = "") -> String {
    let key = Self.rolesOfCode.contains(role) ? "\(role)\0\(original)" : original
    if let known = Self.isKept(original) ? original : nameOfOriginal[key] { return known }
    let next = number ?? countOfRole[role, default: 0] + 1
    if number == nil { countOfRole[role] = next }
    let name = "\(role) \(next)\(mark)"
    nameOfOriginal[key] = name
    return name
  }

  /// Returns the neutral name of a mode. It still shows whether this is a tracking mode, which findings treat
  /// differently.
  mutating func mode(_ mode: ModeDefinition) -> String {
    let mark = ModeName.isTracking(mode.name) ? " (\(ModeName.trackingWord))" : ""
    return name(mode.name, role: "mode", number: Int(mode.id), mark: mark)
  }

  private static func isKept(_ name: String) -> Bool { name.isEmpty || wellKnown.contains(name) }
}
