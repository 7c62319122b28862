/// Gives ids to the strings and modes of a trace that is being written.
package struct NameIDs {
  private var strings: [String: UInt32] = [:]
  private var newStrings: [StringDefinition] = []
  private var modes: [String: UInt8] = [:]
  private var newModes: [ModeDefinition] = []

  package init() {}

  /// Returns the id of a string; 0 for an empty one, and when the trace has no room for more.
  package mutating func string(_ text: String) -> UInt32 {
    if text.isEmpty { return 0 }
    if let id = strings[text] { return id }
    guard strings.count < TraceLimits.strings else { return 0 }
    let id = UInt32(strings.count + 1)
    strings[text] = id
    newStrings.append(StringDefinition(id: id, text: text))
    return id
  }

  package mutating func mode(_ name: String) -> UInt8 {
    if let id = modes[name] { return id }
    guard modes.count < Int(ModeDefinition.overflowID) - 1 else { return ModeDefinition.overflowID }
    let id = UInt8(modes.count + 1)
    modes[name] = id
    newModes.append(ModeDefinition(id: id, name: name))
    return id
  }

  /// Writes the definitions since the last call.
  package mutating func write(to writer: TraceWriter) throws(TraceFormatError) {
    try writer.write(newStrings)
    try writer.write(newModes)
    (newStrings, newModes) = ([], [])
  }
}
