import TraceFormat

extension EventKind {
  public var isCalloutBegin: Bool {
    if case .calloutBegin = EventTable.role(of: rawValue) { true } else { false }
  }
  public var isCalloutEnd: Bool {
    if case .calloutEnd = EventTable.role(of: rawValue) { true } else { false }
  }
}
