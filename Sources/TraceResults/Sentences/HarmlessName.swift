/// A name from a trace as it may stand on a terminal: nothing that moves the cursor or turns the text around. What is
/// longer than `limit` characters is cut and ends in an ellipsis.
public func harmless(_ name: String, limit: Int = 48) -> String {
  // Nearly all are: a character per byte, and each to be seen.
  if name.utf8.count <= limit, name.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return name }
  let out = visible(name.unicodeScalars.prefix(limit < .max ? limit + 1 : .max))
  return out.count <= limit ? out : String(out.prefix(limit - 1)) + "…"
}

/// As `harmless`, cut in the middle: names of one place in a program differ in front and behind. A place in the source
/// at the end, as of `tick() main.swift:41`, stays whole if it fits.
public func elided(_ name: String, limit: Int) -> String {
  // A combined character may be of many scalars; no name needs a thousand times what is shown.
  let whole = visible(name.unicodeScalars.prefix(limit < 1 << 20 ? max(limit, 1) << 10 : .max))
  guard whole.count > limit else { return whole }
  if let place = sourcePlace(whole), place.count + 4 <= limit {
    let name = String(whole.dropLast(place.count + 1))
    return "\(cutInside(name, limit - place.count - 1)) \(place)"
  }
  return cutInside(whole, limit)
}

/// `file:line` behind the last space; nil where there is none.
private func sourcePlace(_ text: String) -> Substring? {
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
  /// Itself, or U+FFFD for what moves or hides the text around it.
  package var visible: Unicode.Scalar {
    if ("\u{20}"..."\u{7E}").contains(self) { return self }
    return switch properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
      "\u{FFFD}"
    default: self
    }
  }
}
