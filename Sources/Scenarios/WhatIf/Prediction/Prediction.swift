import TraceFormat

/// A recording that can be replayed with changes.
package struct Predictor {
  private let recording: Recording
  private let histories: [LoopHistory]
  private let arrivals: [Arrivals]
  private let waits: [Waits]
  private let shifts: [Shifts]
  /// One element for each loop that ran, in order of their threads.
  package let fidelity: [Fidelity]

  /// Reads a trace and replays it without a change. `names`: the form of names in changes. Throws if the trace cannot
  /// be replayed. Takes O(events) time and memory.
  package init(
    _ reader: TraceReader, names: (String) -> String = { $0 }, progress: (Double) -> Void = { _ in }
  ) throws(WhatIfError) {
    let recording = try Recording(reader, names: names) { progress($0 * Predictor.readingShare) }
    self.recording = recording
    histories = recording.threadOfLoop.ordered { $0.value < $1.value }.map {
      LoopHistory(recording, loop: $0.key, place: $0.value)
    }
    guard !histories.isEmpty else {
      let others = recording.unreplayed.joined(separator: " and ")
      let words = others.isEmpty ? "the main queue alone is" : "\(others) are"
      throw .undecided("no run loop ran in the trace; \(words) not replayed")
    }
    arrivals = histories.map { Arrivals(recording, $0) }
    var waits: [Waits] = [], shifts: [Shifts] = [], fidelity: [Fidelity] = []
    for (number, history) in histories.enumerated() {
      let found = Predictor.check(recording, history, arrivals[number])
      waits.append(found.replay.waits)
      shifts.append(found.replay.shifts)
      fidelity.append(found.fidelity)
      progress(
        Predictor.readingShare + (1 - Predictor.readingShare) * Double(number + 1) / Double(histories.count))
    }
    self.waits = waits
    self.shifts = shifts
    self.fidelity = fidelity
  }

  /// The share of the progress that reading accounts for.
  private static let readingShare = 0.3

  /// Follows the recording, then replays it with median overheads.
  private static func check(
    _ recording: Recording, _ history: LoopHistory, _ arrivals: Arrivals
  ) -> (fidelity: Fidelity, replay: LoopReplay) {
    // The recording does not show whether arrivals at one moment come together or one after another. In virtual time,
    // each one comes alone.
    var (following, collector) = follow(
      recording, history, arrivals, Waits(joinsArrivals: !recording.isVirtual))
    if following.divergence != nil || arrivals.hasTies {
      let other = follow(recording, history, arrivals, Waits(joinsArrivals: recording.isVirtual))
      if other.replay.divergence == nil {
        if following.divergence == nil {
          following.waits.openTies = Set(arrivals.stimuli.indices)
        } else {
          (following, collector) = other
        }
      }
    }
    if !recording.isVirtual { shift(&following, &collector, recording, history, arrivals) }
    // Where the loop itself takes no time, the median is 0 as well, and the differences are those found already.
    if following.divergence == nil, !following.hasNoOverhead {
      collector = ResidueCollector(recording, history)
      LoopReplay(
        recording, history, arrivals, .nothing, overheads: .median, waits: following.waits,
        shifts: following.shifts, receive: collector.receive
      ).play()
    }
    let index = recording.threads[history.place].index
    let definition = recording.reader.threads[index]
    let fidelity = Fidelity(
      thread: definition.map { $0.mainName ?? $0.name } ?? "thread \(index)",
      events: following.followed, inferredArrivals: arrivals.inferred,
      inferredWakes: following.waits.inferredWakes.count, swaps: following.shifts.count,
      divergence: following.divergence, residues: collector.residues)
    return (fidelity, following)
  }

  /// Moves arrivals and due points a little until the replay repeats the recording.
  private static func shift(
    _ following: inout LoopReplay, _ collector: inout ResidueCollector, _ recording: Recording,
    _ history: LoopHistory, _ arrivals: Arrivals
  ) {
    while following.divergence != nil, following.shifts.count < WhatIfLimits.whatIfSwaps {
      let (waits, done) = (Waits(joinsArrivals: following.waits.joinsArrivals), following.followed)
      let better = following.explanations.lazy
        .map { follow(recording, history, arrivals, waits, $0) }
        .first { $0.replay.divergence == nil || $0.replay.followed > done }
      guard let better else { return }
      (following, collector) = better
    }
  }

  private static func follow(
    _ recording: Recording, _ history: LoopHistory, _ arrivals: Arrivals, _ waits: Waits,
    _ shifts: Shifts = Shifts()
  ) -> (replay: LoopReplay, collector: ResidueCollector) {
    let collector = ResidueCollector(recording, history)
    let replay = LoopReplay(
      recording, history, arrivals, .nothing, waits: waits, isFollowing: true, shifts: shifts,
      receive: collector.receive)
    replay.play()
    return (replay, collector)
  }

  /// The largest residue of all loops, in nanoseconds.
  package var residueNs: UInt64 { fidelity.map(\.residueNs).max() ?? 0 }

  package var isExact: Bool { fidelity.allSatisfy(\.isExact) }

  /// Replays the recording with changes and writes the result as a trace. Throws if a change cannot be predicted, or
  /// if the trace cannot be written.
  package func predict(
    _ changes: [Change], as alternative: Alternative? = nil, to sink: any ByteSink, codec: any BlockCodec
  ) throws(WhatIfError) -> Prediction {
    if let (loop, divergence) = fidelity.lazy.compactMap({ loop in loop.divergence.map { (loop, $0) } }).first
    {
      throw .undecided(divergence.text(thread: loop.thread))
    }
    let plan = try ChangePlan(changes, recording, histories, arrivals)
    do {
      return try write(plan, alternative, to: sink, codec: codec)
    } catch let error as WhatIfError {
      throw error
    } catch let error as TraceFormatError {
      throw .trace(error)
    } catch {
      throw .undecided("\(error)")
    }
  }

  private func write(
    _ plan: ChangePlan, _ alternative: Alternative?, to sink: any ByteSink, codec: any BlockCodec
  ) throws -> Prediction {
    let assumptions = Assumption.all(exact: isExact)
    let facts =
      plan.requested.map { InfoEntry(key: InfoEntry.whatIf, value: $0.text) }
      + assumptions.map { InfoEntry(key: InfoEntry.assumes, value: $0) }
    let trace = try PredictedTrace(recording, plan, facts: facts, sink: sink, codec: codec)
    var notes = ReplayNotes()
    var dropped: [Int32: Set<Int32>] = [:]
    var tiesMatter = false
    for (number, history) in histories.enumerated() {
      let thread = recording.threads[history.place].index
      let hasOpenTies = !waits[number].openTies.isEmpty
      var events = EventSum()
      let replay = replay(
        number, plan, alternative,
        receive: {
          if hasOpenTies { events.add($0) }
          trace.write($0, thread: thread)
        }, receiveMoved: trace.writeMoved)
      replay.play()
      notes.add(replay.notes)
      if hasOpenTies, alternative == nil {
        var others = EventSum()
        self.replay(number, plan, .otherTies, receive: { others.add($0) }).play()
        tiesMatter = tiesMatter || others != events
      }
      for place in replay.droppedArrivals { dropped[place.place, default: []].insert(place.at) }
    }
    if notes.isExhausted {
      throw WhatIfError.undecided("with the change, a loop never waits again, so the replay was stopped")
    }
    if notes.isTooDeep {
      throw WhatIfError.undecided("with the change, runs are nested deeper than \(WhatIfLimits.whatIfDepth)")
    }
    let replayed = Set(histories.map(\.place))
    for place in recording.threads.indices where !replayed.contains(place) {
      trace.copy(place, dropping: dropped[Int32(place)] ?? [])
    }
    try trace.close()
    let varying = notes.repeatedLives.filter { life in histories.contains { $0.varies(life, recording) } }
    let doubts =
      Doubt.all(recording, histories, plan, notes, varying: varying, fidelityIsExact: isExact)
      + (tiesMatter ? [Doubt.ties] : [])
    return Prediction(
      changes: plan.targets.map { .init(change: $0.change, items: $0.lives.count) },
      assumptions: assumptions,
      alternatives: alternatives(
        plan, hasVaryingRepeats: !varying.isEmpty, tiesMatter, limitsMatter: notes.duePointsAtLimits > 0),
      doubts: doubts.map(\.text), bounds: doubts.map(\.bounds).max() ?? .certain)
  }

  private func replay(
    _ number: Int, _ plan: ChangePlan, _ alternative: Alternative?,
    receive: @escaping (ReplayedEvent) -> Void, receiveMoved: @escaping (ReplayedEvent) -> Void = { _ in }
  ) -> LoopReplay {
    var waits = waits[number]
    waits.turnsOpenTies = alternative == .otherTies
    let repeats: Repeats =
      switch alternative {
      case .shortestRepeats?: .shortest
      case .longestRepeats?: .longest
      default: .inOrder
      }
    return LoopReplay(
      recording, histories[number], arrivals[number], plan,
      overheads: alternative == .medianOverheads ? .median : .recorded, waits: waits, repeats: repeats,
      shifts: alternative == .recordedOrder ? Shifts() : shifts[number],
      ends: alternative == .earlyEnds ? .early : alternative == .lateEnds ? .late : .exact,
      receive: receive, receiveMoved: receiveMoved)
  }

  private func alternatives(
    _ plan: ChangePlan, hasVaryingRepeats: Bool, _ tiesMatter: Bool, limitsMatter: Bool
  ) -> [Alternative] {
    guard !plan.isNothing else { return [] }
    return (hasVaryingRepeats ? [.shortestRepeats, .longestRepeats] : [])
      + (tiesMatter ? [.otherTies] : []) + (shifts.contains { $0.count > 0 } ? [.recordedOrder] : [])
      + (limitsMatter ? [.earlyEnds, .lateEnds] : []) + (residueNs > 0 ? [.medianOverheads] : [])
  }
}

/// Another prediction that the recording allows as well. The numbers of all of them form ranges.
package enum Alternative: Sendable {
  /// Additional callouts repeat the shortest or the longest recorded one, instead of all of them in order.
  case shortestRepeats, longestRepeats
  /// Arrivals at one moment come together instead of one after another, or the other way round.
  case otherTies
  /// Arrivals and due points take effect exactly at their recorded times.
  case recordedOrder
  /// Runs do not serve, or do serve, a due point that lies at their time limit.
  case earlyEnds, lateEnds
  /// The loop's own time between steps is the median of the recording.
  case medianOverheads
}

/// A sum of the events of a replay, which differs if one of them does.
private struct EventSum: Equatable {
  private var hash: UInt64 = 0

  mutating func add(_ event: ReplayedEvent) {
    for value in [event.time, UInt64(event.kind.rawValue), UInt64(event.mode), UInt64(event.object)] {
      hash = (hash ^ value) &* 0x9E37_79B9_7F4A_7C15
      hash ^= hash >> 29
    }
  }
}

/// The basis of a prediction.
package struct Prediction: Sendable {
  package struct ChangedItems: Sendable {
    package var change: Change
    /// The number of items that it applies to; each life of an object counts separately.
    package var items: Int
  }

  /// Whether the numbers of a prediction and of its alternatives are bounds for those of the changed program.
  package enum Bounds: Comparable, Sendable {
    /// They are, apart from the residue of the replay.
    case certain
    /// They are, unless a doubt is justified.
    case doubtful
    /// No alternative covers some doubts, so how far the numbers may be off is not known.
    case unknown
  }

  package var changes: [ChangedItems]
  package var assumptions: [String]
  /// Other predictions that the recording allows as well.
  package var alternatives: [Alternative]
  /// Why the program with the change may behave differently, even if the assumptions hold. Empty: the prediction is
  /// exact.
  package var doubts: [String]
  package var bounds: Bounds
}

/// The assumptions of every prediction.
enum Assumption {
  static func all(exact: Bool) -> [String] {
    [
      "arrivals from other threads keep their times",
      "a callout takes as long as the recorded one with the same cause; additional callouts repeat the recorded ones in order",
      "callouts cause the same things as before",
      "threads do not wait for each other or for a processor because of the change",
      exact
        ? "the loop itself takes no time, as recorded"
        : "the loop's own time between steps and after wake-ups is as recorded, in the recorded order",
    ]
  }
}

extension Divergence {
  /// A sentence without a full stop.
  package func text(thread: String) -> String {
    let place =
      "the replay without a change diverges from the recording at \(SecondsText.of(ns: atNs)) of thread \(thread)"
    switch (recorded, replayed) {
    case (let recorded?, let replayed?): return "\(place): recorded \(recorded), replayed \(replayed)"
    case (let recorded?, nil): return "\(place): recorded \(recorded), but the replay ends"
    case (nil, let replayed):
      return "\(place): the recording ends, but the replay goes on with \(replayed ?? "?")"
    }
  }
}

extension ReplayNotes {
  mutating func add(_ other: ReplayNotes) {
    unknownLengths += other.unknownLengths
    repeatedLives.formUnion(other.repeatedLives)
    crossings += other.crossings
    duePointsAtLimits += other.duePointsAtLimits
    unknownOrders += other.unknownOrders
    goesBeyond = goesBeyond || other.goesBeyond
    hasBareRuns = hasBareRuns || other.hasBareRuns
    outlives = outlives || other.outlives
    isTooDeep = isTooDeep || other.isTooDeep
    isExhausted = isExhausted || other.isExhausted
    waitsForever = waitsForever || other.waitsForever
  }
}
