import TraceFormat

/// The open run function calls, runs and callouts of a thread, outermost first.
struct LiveThread {
  struct Item {
    /// The kind of the event that began it. Entry.low for a run.
    var kind: UInt8
    var mode: UInt8
    var object: UInt32
    var arguments: [UInt64] = []
    /// For a run: the stamp of the last activity seen. Otherwise 0.
    var activity: UInt8 = 0
    /// When it began.
    var since: UInt64 = 0
  }

  /// The greatest nesting depth that is followed.
  private static let depthLimit = 256

  private let hasHigh: Bool
  private var open: [Item] = []
  /// The due point that the next timer callout serves.
  var announced: UInt64?
  /// The time of the last activity, while a run is open and does not wait.
  private var busySince: UInt64?

  init(hasHigh: Bool) { self.hasHigh = hasHigh }

  mutating func activity(
    _ kind: UInt8, _ mode: UInt8, _ loop: UInt32, _ time: UInt64, _ onGap: (UInt64) -> Void
  ) {
    if let since = busySince, time > since { onGap(time - since) }
    let entry = EventKind.entryLow.rawValue
    if kind != entry,
      let at = open.lastIndex(where: { $0.kind == entry && $0.mode == mode && $0.object == loop })
    {
      // The ends of the items above were lost.
      open.removeLast(open.count - at - 1)
      open[at].activity = kind
    } else {
      // A run begins, or the recording began inside it.
      begin(Item(kind: entry, mode: mode, object: loop, activity: kind, since: time))
    }
    let end = EventKind(.exit, isHigh: hasHigh), waiting = EventKind(.beforeWaiting, isHigh: hasHigh)
    if kind == end.rawValue, open.last?.kind == entry { open.removeLast() }
    let isInRun = open.contains { $0.kind == entry }
    busySince = isInRun && kind != waiting.rawValue ? time : nil
  }

  mutating func begin(_ item: Item) {
    if open.count < LiveThread.depthLimit { open.append(item) }
  }

  /// When the innermost item began, if it is a callout; nil = a run is open in it, or nothing is open.
  var openCalloutSince: UInt64? {
    guard let last = open.last, case .calloutBegin = EventTable.role(of: last.kind) else { return nil }
    return last.since
  }

  /// The work that has open slices.
  var openWork: [UInt32] { open.filter { $0.kind == EventKind.workBegin.rawValue }.map(\.object) }

  mutating func beginCallout(
    _ kind: UInt8, _ mode: UInt8, _ object: UInt32, _ arguments: ArraySlice<UInt64>, _ time: UInt64
  ) {
    let due = kind == EventKind.timerBegin.rawValue ? announced : nil
    announced = nil
    begin(
      Item(
        kind: kind, mode: mode, object: object, arguments: due.map { [$0] } ?? Array(arguments), since: time))
  }

  /// Ends the item that the counterpart of `kind` began, and all items above it.
  mutating func end(_ kind: UInt8, _ object: UInt32) {
    let begin = EventKind(kind).begin.rawValue
    guard let at = open.lastIndex(where: { $0.kind == begin && $0.object == object }) else { return }
    open.removeLast(open.count - at)
  }

  /// Forgets all open items, because events of the thread were lost.
  mutating func forget() {
    open = []
    busySince = nil
    announced = nil
  }

  func restated() -> [RestatedEvent] { open.flatMap(restated) }

  private func restated(_ item: Item) -> [RestatedEvent] {
    func event(_ kind: UInt8, _ arguments: [UInt64] = []) -> RestatedEvent {
      RestatedEvent(kind: kind, mode: item.mode, object: item.object, arguments: arguments)
    }
    if item.kind == EventKind.timerBegin.rawValue, !item.arguments.isEmpty {
      return [event(EventKind.timerDue.rawValue, item.arguments), event(item.kind)]
    }
    guard case .activity(let last, let isHigh) = EventTable.role(of: item.activity) else {
      return [event(item.kind, item.arguments)]
    }
    // First the Entry of the run, then its current activity.
    var kinds = [EventKind(.entry)]
    if last != .entry {
      if hasHigh { kinds.append(EventKind(.entry, isHigh: true)) }
      kinds.append(EventKind(last))
    }
    if isHigh { kinds.append(EventKind(last, isHigh: true)) }
    return kinds.map { event($0.rawValue) }
  }
}
