import TraceFacts
import TraceFormat

/// The named states of the program: how often and how long each had each value.
package final class StateBook {
  package struct Key: Hashable {
    package var name: StringID
    package var value: StringID
  }

  package struct Row {
    /// Nil = all states and values beyond the limit.
    package let key: Key?
    /// How often the state took the value, or had it when the span began.
    package fileprivate(set) var count: UInt64 = 0
    /// Without suspension.
    package fileprivate(set) var time = Length.zero
  }

  private struct Current {
    var value: StringID
    var row: Int
    var since: Moment
    /// The total suspension at that moment.
    var suspended: Length
  }

  package private(set) var rows: [Row] = []
  private var byKey = LimitedIndex<Key>(limit: AnalysisLimits.stateRows)
  /// By name, the states that have a value.
  private var current: [StringID: Current] = [:]
  private var suspended: Length = .zero
  private var sink: SinkLink?

  package var isOverfull: Bool { byKey.isOverfull }

  /// Sets a state; `none` ends it. Does nothing if it already has the value.
  func set(_ name: StringID, to value: StringID, at time: Moment) {
    guard name != .none, (current[name]?.value ?? StringID.none) != value else { return }
    if let ending = current.removeValue(forKey: name) { close(ending, at: time) }
    if value != .none { begin(name, value, at: time) }
    report(name, value, at: time)
  }

  private func begin(_ name: StringID, _ value: StringID, at time: Moment) {
    let row = byKey.row(of: Key(name: name, value: value)) { rows.append(Row(key: $0)) }
    rows[row].count &+= 1
    current[name] = Current(value: value, row: row, since: time, suspended: suspended)
  }

  private func close(_ ending: Current, at time: Moment) {
    rows[ending.row].time &+= time.since(ending.since).without(suspended &- ending.suspended)
  }

  func suspended(_ length: Length) { suspended &+= length }

  /// Sends changes to the sink from now on, first the values that the states have.
  func begin(sending sink: SinkLink?, at time: Moment) {
    self.sink = sink
    for name in current.keys.ordered() { report(name, current[name]?.value ?? StringID.none, at: time) }
  }

  private func report(_ name: StringID, _ value: StringID, at time: Moment) {
    guard let sink else { return }
    let fact = StateFact(name: name.rawValue, value: value.rawValue, time: time.rawValue)
    sink.report { $0.state(fact) }
  }

  /// Forgets the time before `time`. The values that the states have count from then on.
  func beginWindow(_ time: Moment) {
    rows = []
    byKey = LimitedIndex(limit: AnalysisLimits.stateRows)
    for name in current.keys.ordered() {
      if let value = current[name]?.value { begin(name, value, at: time) }
    }
  }

  func finish(_ end: Moment) {
    for state in current.values { close(state, at: end) }
    current = [:]
  }
}
