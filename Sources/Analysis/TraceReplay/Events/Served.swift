import TraceFormat

/// The kinds of callouts, other than observers, that a run has served.
struct Served: OptionSet {
  let rawValue: UInt8

  static let anything = Served(rawValue: 1)
  /// A run that may wait does not wait if it has served a source0.
  static let source0 = Served(rawValue: 2)

  @inline(__always)
  mutating func note(_ kind: EventKind) {
    switch kind {
    case .observerBegin: break
    case .source0Begin: formUnion([.anything, .source0])
    default: formUnion(.anything)
    }
  }
}
