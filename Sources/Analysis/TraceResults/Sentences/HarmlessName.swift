/// Returns a name from a trace in a form that is safe on a terminal: without characters that move the cursor or
/// change the text direction. A name longer than `limit` characters is cut and ends in an ellipsis.
package func harmless(_ name: String, limit: Int = 48) -> String {
  if isPlain(name, limit) { return name }
  let out = visible(name.unicodeScalars.prefix(limit < .max ? limit + 1 : .max))
  return out.count <= limit ? out : String(out.prefix(limit - 1)) + "…"
}

/// Returns a safe name like `harmless`, but cut in the middle: names from one place in a program differ at both ends.
/// A place in the source at the end, as in `tick() main.swift:41`, is kept whole if it fits.
package func elided(_ name: String, limit: Int) -> String {
  if isPlain(name, limit) { return name }
  // One character may consist of many scalars, but no name needs 1024 times as many scalars as visible characters.
  let whole = visible(name.unicodeScalars.prefix(limit < 1 << 20 ? max(limit, 1) << 10 : .max))
  guard whole.count > limit else { return whole }
  if let place = sourcePlace(whole), place.count + roomBeforePlace <= limit {
    let name = String(whole.dropLast(place.count + 1))
    return "\(cutInside(name, limit - place.count - 1)) \(place)"
  }
  return cutInside(whole, limit)
}

/// Whether the name can be shown as it is. True for nearly all names: printable ASCII, one byte for each character.
private func isPlain(_ name: String, _ limit: Int) -> Bool {
  name.utf8.count <= limit && name.utf8.allSatisfy { (0x20...0x7E).contains($0) }
}

/// The minimum number of characters in front of a place in the source: a character, an ellipsis, another character,
/// and the space.
package let roomBeforePlace = 4

/// Returns the `file:line` after the last space; nil if there is none.
package func sourcePlace(_ text: String) -> Substring? {
  guard let space = text.lastIndex(of: " ") else { return nil }
  let place = text[text.index(after: space)...]
  guard let colon = place.lastIndex(of: ":"), place[..<colon].contains(".") else { return nil }
  let line = place[place.index(after: colon)...]
  return !line.isEmpty && line.allSatisfy { ("0"..."9").contains($0) } ? place : nil
}

private func cutInside(_ whole: String, _ limit: Int) -> String {
  guard whole.count > limit else { return whole }
  let behind = max(limit - 1, 0) / 2
  let front = max(limit - 1, 0) - behind
  return "\(whole.prefix(front))…\(whole.suffix(behind))"
}

private func visible(_ scalars: some Sequence<Unicode.Scalar>) -> String {
  var out = String.UnicodeScalarView()
  for scalar in scalars { out.append(scalar.visible) }
  return String(out)
}

extension Unicode.Scalar {
  /// The scalar itself, or U+FFFD if it moves or hides the text around it.
  package var visible: Unicode.Scalar {
    if ("\u{20}"..."\u{7E}").contains(self) { return self }
    return switch properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
      "\u{FFFD}"
    default: self
    }
  }
}
