import TraceFormat

/// Arrivals at one loop from outside of its thread, and the callouts that answered them.
struct Arrivals {
  /// Something that reached the loop at a moment.
  enum Stimulus {
    /// An event of another thread: its place in `Recording.threads` and its index there.
    case event(place: Int32, at: Int32)
    /// An unrecorded event, inferred from a callout of the loop: the index of the callout's begin event.
    case inferred(callout: Int32)
  }

  /// In time order. Times are in time units.
  private(set) var stimuli: [(time: UInt64, stimulus: Stimulus)] = []
  /// For each thread and event: the begin of the source0 callout that answered this signal; -1 = the event is not a
  /// signal, or no callout answered it. Empty for threads without answered signals.
  private var answers: [[Int32]]
  /// How long after a run's deadline its timer woke the loop, in time units, by the begin of the run.
  private(set) var timeoutLateness: [Int32: UInt64] = [:]
  /// The number of arrivals that were not recorded.
  private(set) var inferred = 0

  /// Whether several arrivals come at one moment.
  var hasTies: Bool { zip(stimuli, stimuli.dropFirst()).contains { $0.time == $1.time } }

  /// The place of an event: its thread's in `Recording.threads`, and its index there.
  struct EventPlace: Hashable {
    var place: Int32
    var at: Int32
  }

  init(_ recording: Recording, _ history: LoopHistory) {
    answers = [[Int32]](repeating: [], count: recording.threads.count)
    let begins = Dictionary(history.looks.map { ($0.begin, $0.arrival) }) { first, _ in first }
    var signals = Signals(recording)
    var mainQueue = MainQueueWrites(recording, history)
    var openRuns: [(begin: Int32, deadline: UInt64?)] = []
    var guessed: [(time: UInt64, stimulus: Stimulus)] = []
    var delayed: [(time: UInt64, stimulus: Stimulus)] = []
    let timerThreads = Arrivals.timerThreads(recording)
    var order = MergedOrder(recording.threads) { !recording.recorderThreads.contains($0) }
    while let (place, at) = order.next(in: recording.threads) {
      let thread = recording.threads[place]
      let event = thread.events[at]
      let here = EventPlace(place: Int32(place), at: Int32(at))
      let isOwn = place == history.place
      if timerThreads.contains(place), event.object == history.loop,
        let run = openRuns.last(where: { $0.deadline.map { $0 <= event.time } ?? false }),
        timeoutLateness[run.begin] == nil
      {
        timeoutLateness[run.begin] = event.time - (run.deadline ?? 0)
        continue
      }
      if !isOwn, Arrivals.concerns(event, history.loop, recording.lives) {
        let stimulus = Stimulus.event(place: here.place, at: here.at)
        if let effect = Arrivals.effect(of: at, in: thread, recording) {
          delayed.append((effect, stimulus))
        } else {
          stimuli.append((event.time, stimulus))
        }
      }
      if event.kind == .sourceSignal { signals.happen(here, event.life) }
      if event.kind == .sourceInvalidate { signals.forget(event.life) }
      guard isOwn else { continue }
      switch event.kind {
      case .runBegin:
        let timeout = thread.argument(EventKind.RunBegin.timeoutNs, of: event)
        openRuns.append(
          (Int32(at), timeout == .max ? nil : event.time &+ timeout / recording.unitNs))
      case .runEnd: _ = openRuns.popLast()
      case .source0Begin:
        if let signal = signals.answer(event.life, at: event.time) {
          note(signal, answeredBy: Int32(at), recording)
          continue
        }
        guessed.append((begins[Int32(at)] ?? event.time, .inferred(callout: Int32(at))))
      case .source1Begin: guessed.append((begins[Int32(at)] ?? event.time, .inferred(callout: Int32(at))))
      case .blockBegin, .mainQueueBlockBegin:
        let isKnown = event.life >= 0 && recording.lives[Int(event.life)].isDefined
        if !isKnown { guessed.append((begins[Int32(at)] ?? event.time, .inferred(callout: Int32(at)))) }
      case .mainQueueDrainBegin:
        if !mainQueue.drain(at: event.time) {
          guessed.append((begins[Int32(at)] ?? event.time, .inferred(callout: Int32(at))))
        }
      default: break
      }
    }
    inferred = guessed.count
    // At equal times, in the order of the callouts: guesses are few and already in that order.
    stimuli = merged(stimuli, (guessed + delayed).sorted { $0.time < $1.time })
  }

  private mutating func note(_ signal: EventPlace, answeredBy begin: Int32, _ recording: Recording) {
    let place = Int(signal.place)
    if answers[place].isEmpty {
      answers[place] = [Int32](repeating: -1, count: recording.threads[place].events.count)
    }
    answers[place][Int(signal.at)] = begin
  }

  /// Returns the begin of the callout that answered a signal; nil = none did.
  func callout(ofSignal signal: EventPlace) -> Int32? {
    let all = answers[Int(signal.place)]
    return all.isEmpty || all[Int(signal.at)] < 0 ? nil : all[Int(signal.at)]
  }

  /// Returns the number of callouts of a source whose signals were not recorded.
  func inferredSignals(of source: Int32, _ history: LoopHistory, _ recording: Recording) -> Int {
    let events = recording.threads[history.place].events
    return stimuli.count {
      if case .inferred(let begin) = $0.stimulus { events[Int(begin)].life == source } else { false }
    }
  }

  /// The threads that may wake loops whose runs are over: threads of the dispatch library, which do nothing else here.
  /// In virtual time there are none.
  private static func timerThreads(_ recording: Recording) -> Set<Int> {
    guard !recording.isVirtual else { return [] }
    return Set(
      recording.threads.indices.filter { place in
        recording.threads[place].events.allSatisfy { $0.kind == .loopWakeUp }
      })
  }

  /// Returns when a stop takes effect; nil for other events. CFRunLoopStop is recorded before it stops the loop, and then
  /// it wakes the loop, which is recorded as well.
  private static func effect(of at: Int, in thread: RecordedThread, _ recording: Recording) -> UInt64? {
    guard thread.events[at].kind == .loopStop, !recording.isVirtual,
      at + 1 < thread.events.count
    else { return nil }
    let next = thread.events[at + 1]
    return next.kind == .loopWakeUp && next.object == thread.events[at].object ? next.time : nil
  }

  private func merged(
    _ a: [(time: UInt64, stimulus: Stimulus)], _ b: [(time: UInt64, stimulus: Stimulus)]
  ) -> [(time: UInt64, stimulus: Stimulus)] {
    guard !b.isEmpty else { return a }
    var out: [(time: UInt64, stimulus: Stimulus)] = []
    out.reserveCapacity(a.count + b.count)
    var next = 0
    for item in a {
      while next < b.count, b[next].time < item.time {
        out.append(b[next])
        next += 1
      }
      out.append(item)
    }
    return out + b[next...]
  }

  /// Returns whether an event of another thread acts on a loop.
  private static func concerns(_ event: RecordedEvent, _ loop: UInt32, _ lives: [RecordedLife]) -> Bool {
    switch event.kind {
    case .loopWakeUp, .loopStop, .loopAddCommonMode: event.object == loop
    case .timerCreate, .sourceCreate, .blockCreate, .timerAdd, .timerRemove, .timerInvalidate,
      .timerReschedule, .sourceAdd, .sourceRemove, .sourceInvalidate, .sourceSignal, .blockDiscard:
      event.life >= 0 && lives[Int(event.life)].loop == loop
    default: false
    }
  }

  /// Whether a block goes to the main queue: it has no modes, and its loop is the main one.
  static func isForMainQueue(_ event: RecordedEvent, _ history: LoopHistory, _ lives: [RecordedLife]) -> Bool
  {
    event.argumentCount <= EventKind.BlockCreate.mode && history.isMain && event.life >= 0
      && lives[Int(event.life)].loop == history.loop
  }

  /// The signals of sources that wait for an answer.
  ///
  /// At equal times the order of threads is not known. So a callout may answer a signal that comes later in the merged
  /// order.
  private struct Signals {
    /// All signals in time order, indexed by life.
    private var all: [Int32: [(time: UInt64, place: EventPlace)]] = [:]
    private var next: [Int32: Int] = [:]
    private var pending: [Int32: EventPlace] = [:]
    private var claimed: Set<EventPlace> = []

    init(_ recording: Recording) {
      for (place, thread) in recording.threads.enumerated() {
        for (at, event) in thread.events.enumerated() where event.kind == .sourceSignal {
          all[event.life, default: []].append((event.time, EventPlace(place: Int32(place), at: Int32(at))))
        }
      }
      for life in all.keys { all[life]?.sort { ($0.time, $0.place.place) < ($1.time, $1.place.place) } }
    }

    mutating func happen(_ place: EventPlace, _ life: Int32) {
      next[life, default: 0] += 1
      if claimed.remove(place) == nil, pending[life] == nil { pending[life] = place }
    }

    mutating func forget(_ life: Int32) { pending[life] = nil }

    /// Returns the signal that a callout answers.
    mutating func answer(_ life: Int32, at time: UInt64) -> EventPlace? {
      if let signal = pending.removeValue(forKey: life) { return signal }
      guard let signals = all[life] else { return nil }
      for signal in signals[min(next[life, default: 0], signals.count)...] {
        guard signal.time == time else { break }
        if claimed.insert(signal.place).inserted { return signal.place }
      }
      return nil
    }
  }

  /// When blocks reach the main queue.
  private struct MainQueueWrites {
    private var times: [UInt64] = []
    private var next = 0

    init(_ recording: Recording, _ history: LoopHistory) {
      for thread in recording.threads {
        for event in thread.events
        where event.kind == .blockCreate && Arrivals.isForMainQueue(event, history, recording.lives) {
          times.append(max(event.time, thread.argument(EventKind.BlockCreate.due, of: event)))
        }
      }
      times.sort()
    }

    /// Returns whether there was a reason to drain since the last drain.
    mutating func drain(at time: UInt64) -> Bool {
      let before = next
      while next < times.count, times[next] < time { next += 1 }
      if next == before, next < times.count, times[next] == time { next += 1 }
      return next > before
    }
  }
}
