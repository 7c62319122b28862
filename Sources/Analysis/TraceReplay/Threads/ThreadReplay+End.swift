import TraceFormat

/// A callout, or observers of an activity, that had not ended at the end of the span.
package struct RunningAtEnd: Sendable {
  package var lane: Int
  /// The number of callouts that ran inside it.
  package var depth: Int
  /// The kind of its begin event. For observers, the low stamp of the activity.
  package var kind: EventKind
  package var name: StringID
  package var object: ObjectID
  package var begin: Moment
}

extension ThreadReplay {
  /// Returns what is running before anything is closed, the innermost first.
  func running() -> [RunningAtEnd] {
    var found: [RunningAtEnd] = []
    var open = callouts.count
    for level in stride(from: depth, through: 0, by: -1) {
      let enclosing = level > 0 ? frames[level - 1].enclosingCallouts : 0
      while open > enclosing {
        open -= 1
        found.append(running(callouts[open], depth: found.count))
      }
      if level > 0, let observers = observers(level - 1, depth: found.count) { found.append(observers) }
    }
    return found
  }

  private func running(_ callout: OpenCallout, depth: Int) -> RunningAtEnd {
    let known = books.objects.name(of: callout.object)
    let row = Int(callout.row)
    let name =
      known == .none && row >= 0 && row < AnalysisLimits.calloutRows ? books.callouts.rows[row].name : known
    return RunningAtEnd(
      lane: lane, depth: depth, kind: callout.kind, name: name, object: callout.object,
      begin: callout.begin &- callout.suspended)
  }

  /// Returns the program's observers of an activity of a run, if they are running.
  private func observers(_ frame: Int, depth: Int) -> RunningAtEnd? {
    let isInnermost = frame == self.depth - 1
    guard isInnermost ? observing.isUnderWay : frames[frame].observing.isUnderWay else { return nil }
    return RunningAtEnd(
      lane: lane, depth: depth, kind: isInnermost ? observing.activity : frames[frame].observing.activity,
      name: .none,
      object: .none, begin: frames[frame].observersSince)
  }
}
