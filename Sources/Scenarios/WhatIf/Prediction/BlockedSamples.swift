import TraceFormat

/// Samples that found a thread blocked inside the callouts of one item: their time may belong to a lock or to another
/// thread.
struct BlockedSamples {
  /// All samples of the thread inside the callouts.
  private(set) var all = 0
  /// Those that found it neither running nor ready to run.
  private(set) var blocked = 0
  /// Those that found it waiting for a lock that another thread held.
  private(set) var locked = 0

  /// Returns the samples in callouts of the items whose callouts a change shortens, moves or removes, by name. O(events).
  static func inChangedCallouts(
    _ recording: Recording, _ histories: [LoopHistory], _ plan: ChangePlan
  ) -> [String: BlockedSamples] {
    let lives = plan.changes.filter { $0.value.changesLengths }.keys.sorted()
    guard !lives.isEmpty else { return [:] }
    let samples = self.samples(recording)
    guard !samples.isEmpty else { return [:] }
    var found: [String: BlockedSamples] = [:]
    for history in histories {
      let thread = recording.threads[history.place]
      guard let system = recording.reader.threads[thread.index]?.osThread, let own = samples[system] else {
        continue
      }
      for life in lives {
        let name = recording.lives[Int(life)].name
        for begin in history.callouts(of: life, recording) {
          for span in spans(of: Int(begin), thread) {
            found[name, default: BlockedSamples()].add(own, in: span)
          }
        }
      }
    }
    return found.filter { $0.value.blocked > 0 }
  }

  /// One sample of a thread's state.
  private struct Sample {
    var time: UInt64
    var isBlocked: Bool
    var waitsForThread: Bool
  }

  /// The code of the state of a thread that runs or is ready to run.
  private static let running = UInt64(UInt8(ascii: "R"))

  /// Returns all samples by the operating system's id of the thread, in time order.
  private static func samples(_ recording: Recording) -> [UInt64: [Sample]] {
    var samples: [UInt64: [Sample]] = [:]
    for place in recording.recorderThreads {
      let recorder = recording.threads[place]
      for event in recorder.events where event.kind == .threadState {
        let system = recorder.argument(EventKind.ThreadState.thread, of: event)
        let awaited = recorder.argument(EventKind.ThreadState.awaitedThread, of: event)
        let state = recorder.argument(EventKind.ThreadState.state, of: event)
        guard state != .max else { continue }
        let isBlocked = state != running
        samples[system, default: []].append(
          Sample(
            time: event.time, isBlocked: isBlocked,
            waitsForThread: isBlocked && awaited != 0 && awaited != .max && awaited != system))
      }
    }
    return samples.mapValues { all in all.sorted { $0.time < $1.time } }
  }

  /// The spans of a callout outside of the runs inside it, in time units.
  private static func spans(of begin: Int, _ thread: RecordedThread) -> [ClosedRange<UInt64>] {
    let events = thread.events
    let end = events[begin].end ?? events.count - 1
    var spans: [ClosedRange<UInt64>] = []
    var start = events[begin].time, at = begin + 1
    while at < end {
      if events[at].kind == .runBegin {
        spans.append(start...events[at].time)
        at = events[at].end ?? end
        start = events[at].time
      }
      at += 1
    }
    spans.append(start...max(start, events[end].time))
    return spans
  }

  private mutating func add(_ samples: [Sample], in span: ClosedRange<UInt64>) {
    for sample in samples.within(span, { $0.time }) {
      all += 1
      if sample.isBlocked { blocked += 1 }
      if sample.waitsForThread { locked += 1 }
    }
  }

  /// A sentence without a full stop.
  func doubt(_ name: String) -> String {
    let reason =
      locked == 0
      ? "its time may belong to a lock or to another thread"
      : "\(locked) of them on a lock that another thread held; its time may belong to that thread"
    return "\(blocked) of \(all) samples inside \"\(name)\" found its thread blocked: \(reason)"
  }
}

extension ChangePlan.ItemChange {
  /// Whether the change alters the time that the callouts of the item take on the loop.
  var changesLengths: Bool { !lengths.isEmpty || hopNs != nil || splitNs != nil || isRemoved }
}

extension LoopHistory {
  /// Whether the recording ends inside a callout of an item that had already lasted longer than any other.
  func hasOpenHang(of life: Int32, _ recording: Recording) -> Bool {
    let events = recording.threads[place].events
    let callouts = callouts(of: life, recording)
    guard let open = callouts.first(where: { events[Int($0)].end == nil }) else { return false }
    let longest = callouts.map { events[Int($0)] }
      .compactMap { begin in begin.end.map { events[$0].time - begin.time } }.max()
    return recording.reader.lastTime - events[Int(open)].time > longest ?? 0
  }

  /// Returns the begins of all callouts of an item.
  func callouts(of life: Int32, _ recording: Recording) -> [Int32] {
    let events = recording.threads[place].events
    return (fires[life]?.map(\.begin) ?? []) + (performs[life] ?? []) + (blocks[life].map { [$0] } ?? [])
      + (recording.lives[Int(life)].kind == .observer
        ? observers.filter { events[Int($0)].life == life } : [])
  }
}
