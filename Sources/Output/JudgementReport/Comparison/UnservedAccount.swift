import TraceAnalysis

extension UnservedResult {
  /// One line, such as `main-queue block "save" since 1.050000 s, waited 3.95 s: the loop was not woken`.
  var account: String {
    let pieces = count > 1 ? "\(count) pieces of " : ""
    return "\(pieces)\(kind.words) \"\(harmless(name))\" since \(Units.moment(queuedNs)), "
      + "waited \(Units.duration(waitedNs)): \(reason.words)"
  }
}
