import TraceFormat

extension LostPart {
  /// Returns the place, the number of lost events, their thread and the time. A sentence without a full stop.
  package func text(_ unit: TimeUnit) -> String {
    func moment(_ time: UInt64) -> String { Units.moment(unit.nanoseconds(of: time)) }
    let place =
      bytes.isEmpty
      ? "from byte \(bytes.lowerBound) on" : "bytes \(bytes.lowerBound) to \(bytes.upperBound - 1)"
    let what = "\(place), block \(block): \(error.reason), \(events) lost"
    guard events != .exactly(0) else { return what }
    let whose = thread.map { " on thread \($0)" } ?? ""
    let span = latest.map { "between \(moment(earliest)) and \(moment($0))" } ?? "after \(moment(earliest))"
    return "\(what)\(whose), \(span)"
  }
}
