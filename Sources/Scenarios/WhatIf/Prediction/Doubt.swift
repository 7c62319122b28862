import TraceFormat

/// Why a prediction may differ from the program with the change, even if the assumptions hold.
struct Doubt {
  /// A sentence without a full stop.
  var text: String
  /// The effect on the numbers.
  var bounds: Prediction.Bounds

  static let ties = Doubt(
    text: "the recording does not show the order of arrivals at one moment, and with the change it matters",
    bounds: .certain)

  /// Returns the doubts about a prediction. `varying`: the items with further callouts, which repeat recorded ones that
  /// differ. Empty: the prediction is exact.
  static func all(
    _ recording: Recording, _ histories: [LoopHistory], _ plan: ChangePlan, _ notes: ReplayNotes,
    varying: Set<Int32>, fidelityIsExact: Bool
  ) -> [Doubt] {
    var doubts = open(recording, plan, notes).map { Doubt(text: $0, bounds: .unknown) }
    func add(_ text: String, _ bounds: Prediction.Bounds = .doubtful) {
      doubts.append(Doubt(text: text, bounds: bounds))
    }
    if !fidelityIsExact {
      add("times are only as accurate as those of the replay without a change", .certain)
    }
    if notes.crossings > 0 {
      add("\(notes.crossings) reactions went to another loop, where they keep their recorded times")
    }
    guard !plan.isNothing else { return doubts }
    if !varying.isEmpty {
      let names = Set(varying.map { "\"\(recording.lives[Int($0)].name)\"" }).sorted()
      add("further callouts repeat recorded ones, which differ: \(names.joined(separator: ", "))", .certain)
    }
    if notes.duePointsAtLimits > 0 {
      let points = notes.duePointsAtLimits
      add(
        "\(points) due \(points == 1 ? "point lies" : "points lie") within \(Shifts.longestNs / 1_000_000) ms of the "
          + "time limit of a run, which may serve \(points == 1 ? "it" : "them") or not",
        .certain)
    }
    if notes.unknownOrders > 0 {
      add(
        "the recording does not show when a mode was made, which decides between things that were ready before its run"
      )
    }
    let blocked = BlockedSamples.inChangedCallouts(recording, histories, plan)
    for (name, samples) in blocked.sorted(by: { $0.key < $1.key }) { add(samples.doubt(name)) }
    let called = Set(
      histories.flatMap { history in
        history.observers.map { recording.threads[history.place].events[Int($0)].life }
      })
    let hasIdle = recording.lives.indices.contains {
      recording.lives[$0].kind == .observer && !called.contains(Int32($0))
    }
    if hasIdle || histories.contains(where: { $0.observersMatter(recording) }) {
      add("the modes of observers are not recorded; they are called as in the recorded passes")
    }
    if plan.changes.values.contains(where: { $0.toleranceNs != nil }) {
      add("the system decides how it uses a tolerance")
    }
    if plan.changes.values.contains(where: { $0.hopNs != nil }) {
      add("another thread may take longer than the work itself, if it must wait for a processor")
    }
    return doubts
  }

  /// Returns those that no other prediction covers: how far the numbers may be off is not known.
  private static func open(_ recording: Recording, _ plan: ChangePlan, _ notes: ReplayNotes) -> [String] {
    var doubts: [String] = []
    if notes.unknownLengths > 0 {
      doubts.append(
        "\(notes.unknownLengths) callouts never ran in the recording; they take no time here, and what follows them may "
          + "differ")
    }
    if notes.waitsForever { doubts.append("a loop waits for something that only the recorded program sent") }
    guard !plan.isNothing else { return doubts }
    if WakeUps.mayBeRemoved(recording, plan) {
      doubts.append("a wake-up after signals of several items stays; it may belong to what is removed")
    }
    if notes.hasBareRuns {
      doubts.append(
        "the loop runs a mode without timers or sources; the recording does not show whether that mode exists"
      )
    }
    if notes.outlives {
      doubts.append("a timer or source lives longer than in the recording; the program may do more with it")
    }
    if notes.goesBeyond {
      doubts.append("the prediction ends after the recording, and what arrived later is not known")
    }
    return doubts
  }
}

extension LoopHistory {
  /// Returns whether the recorded callouts of an item have different lengths or reactions.
  func varies(_ life: Int32, _ recording: Recording) -> Bool {
    let begins = callouts(of: life, recording)
    guard let first = begins.first else { return false }
    let shape = self.shape(of: first, recording)
    return begins.contains { self.shape(of: $0, recording) != shape }
  }

  /// Returns whether callouts of the program's observers take time or do something.
  func observersMatter(_ recording: Recording) -> Bool {
    let events = recording.threads[place].events
    return observers.contains { begin in
      let event = events[Int(begin)]
      return event.end != Int(begin) + 1 || events[Int(begin) + 1].time > event.time
    }
  }

  private func shape(of begin: Int32, _ recording: Recording) -> [ShapePart] {
    let events = recording.threads[place].events
    return shape(Int(begin), events[Int(begin)].end ?? events.count, events)
  }

  /// Returns the events in a range, except those in runs, and the times between them.
  private func shape(_ begin: Int, _ end: Int, _ events: [RecordedEvent]) -> [ShapePart] {
    var parts: [ShapePart] = []
    var last = events[begin].time, at = begin + 1
    while at < end {
      // Blocks are new objects each time.
      let isBlock = events[at].kind == .blockCreate
      parts.append(
        ShapePart(
          units: events[at].time - last, kind: events[at].kind.rawValue,
          object: isBlock ? 0 : events[at].object))
      if events[at].kind == .runBegin, let end = events[at].end { at = end }
      last = events[at].time
      at += 1
    }
    if end < events.count { parts.append(ShapePart(units: events[end].time - last, kind: 0, object: 0)) }
    return parts
  }
}

/// A time and the event after it.
private struct ShapePart: Equatable {
  var units: UInt64
  var kind: UInt8
  var object: UInt32
}
