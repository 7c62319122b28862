import TraceFormat

extension EventKind {
  package var isCalloutBegin: Bool {
    if case .calloutBegin = EventTable.role(of: rawValue) { true } else { false }
  }
  package var isCalloutEnd: Bool {
    if case .calloutEnd = EventTable.role(of: rawValue) { true } else { false }
  }
}
