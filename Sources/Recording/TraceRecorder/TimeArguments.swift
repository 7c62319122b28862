import TraceFormat

enum TimeArguments {
  /// For each event kind, a bit for each of the first 16 arguments that is a time.
  static let masks: [UInt16] = (0..<256).map { code in
    let arguments = EventTable.definition(of: EventKind(UInt8(code)))?.arguments ?? []
    return arguments.prefix(16).enumerated().reduce(0) {
      $0 | ($1.element.unit == .time ? 1 << $1.offset : 0)
    }
  }
}
