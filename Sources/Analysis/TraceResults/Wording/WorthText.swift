extension Worth {
  /// Such as "68 fires recovered, no hang left, 19.6 ms more busy time", or "at least 68 fires recovered, …" if it is
  /// not exact. Each number is one of the properties.
  package var text: String {
    var parts: [String] = []
    func bound(_ isGain: Bool) -> String { isExact ? "" : isGain ? "at least " : "at most " }
    if hitchesRemovedNs != 0 {
      parts.append(
        bound(hitchesRemovedNs > 0)
          + "\(Units.duration(hitchesRemovedNs.magnitude)) \(hitchesRemovedNs > 0 ? "less" : "more") of hitches"
      )
    }
    if firesWonBack != 0 {
      parts.append(
        "\(bound(firesWonBack > 0))\(Phrase.count(firesWonBack.magnitude, "fire", "fires")) \(firesWonBack > 0 ? "recovered" : "lost")"
      )
    }
    if hangsRemovedNs > 0, hangsLeft == 0 {
      parts.append("no hang left")
    } else if hangsRemovedNs != 0 {
      parts.append(
        bound(hangsRemovedNs > 0)
          + "\(Units.duration(hangsRemovedNs.magnitude)) \(hangsRemovedNs > 0 ? "less" : "more") of hangs")
    }
    if busyNs != 0 {
      parts.append(
        "\(bound(busyNs < 0))\(Units.duration(busyNs.magnitude)) \(busyNs > 0 ? "more" : "less") busy time")
    }
    guard !parts.isEmpty else { return "no change" }
    if residueNs > 0 { parts.append("times within \(Units.duration(residueNs))") }
    return parts.joined(separator: ", ")
  }

  /// The text with the changes.
  package var sentence: String {
    "\(text), with \(changes.map { "'\(harmless($0, limit: 120))'" }.joined(separator: " and "))"
  }
}
