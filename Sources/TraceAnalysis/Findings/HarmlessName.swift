/// A name from a trace as it may stand on a terminal: nothing that moves the cursor or turns the text around. What is
/// longer than `limit` characters is cut and ends in an ellipsis.
public func harmless(_ name: String, limit: Int = 48) -> String {
  var out = ""
  for scalar in name.unicodeScalars.prefix(limit < .max ? limit + 1 : .max) {
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
      out += "\u{FFFD}"
    default: out.unicodeScalars.append(scalar)
    }
  }
  return out.count <= limit ? out : String(out.prefix(limit - 1)) + "…"
}
