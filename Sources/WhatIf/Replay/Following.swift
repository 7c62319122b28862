import TraceFormat

/// A replay that follows the recording: it must do the same things in the same order. It waits as long as the recorded
/// loop did, and finds out how long the loop took to wake up.
struct Following {
  /// The index of the event that comes next.
  var next = 0
  var divergence: Divergence?
}

/// Where a replay does something else than the recording.
public struct Divergence: Equatable, Sendable {
  /// Nanoseconds since the trace's origin.
  public var atNs: UInt64
  /// The events: what the recording has, and what the replay does. Nil = nothing more.
  public var recorded: String?
  public var replayed: String?
}

extension LoopReplay {
  /// Compares an event with the recording. Stops the replay at the first difference.
  func follow(_ event: ReplayedEvent) {
    guard var state = following, state.divergence == nil else { return }
    defer { following = state }
    guard state.next < events.count else {
      state.divergence = Divergence(
        atNs: event.time * recording.unitNs, recorded: nil, replayed: words(event.kind, event.object))
      return clock.stop()
    }
    let expected = events[state.next]
    guard expected.kind == event.kind, expected.object == event.object, expected.mode == event.mode,
      expected.time == event.time
    else {
      state.divergence = Divergence(
        atNs: expected.time * recording.unitNs, recorded: words(expected.kind, expected.object),
        replayed: words(event.kind, event.object)
          + (expected.time == event.time ? "" : " at \(SecondsText.of(ns: event.time * recording.unitNs))"))
      return clock.stop()
    }
    state.next += 1
  }

  /// The place where a replay that followed the recording left it; nil = it did the same to the end.
  var divergence: Divergence? {
    guard let following else { return nil }
    if let divergence = following.divergence { return divergence }
    guard following.next < events.count else { return nil }
    let missing = events[following.next]
    return Divergence(
      atNs: missing.time * recording.unitNs, recorded: words(missing.kind, missing.object), replayed: nil)
  }

  /// Whether the recorded loop took no time between its steps and after its waits.
  var hasNoOverhead: Bool {
    waits.latenciesNs.allSatisfy { $0 == 0 } && waits.inferredWakes.isEmpty
      && history.segments.allSatisfy { all in
        all.allSatisfy { segment in
          segment.end > segment.start + 1 || Int(segment.end) >= events.count
            || recordedNs(events[Int(segment.start)].time, events[Int(segment.end)].time) == 0
        }
      }
  }

  private func words(_ kind: EventKind, _ object: UInt32) -> String {
    let name = EventTable.definition(of: kind)?.name ?? "event \(kind.rawValue)"
    guard let item = recording.lives.last(where: { $0.object == object && !$0.name.isEmpty }) else {
      return name
    }
    return "\(name) \"\(item.name)\""
  }

  // MARK: Waits

  func waitBegins() {
    guard following != nil else { return }
    let number = nextWait
    guard number < history.waitEnds.count, let end = history.waitEnds[number] else { return }
    // If nothing wakes the model by then, something did that was not recorded.
    clock.schedule(at: ns(end), .timeout) { [unowned self] in
      guard nextWait == number else { return }
      waits.inferredWakes.append(end)
      loop.wakeUp()
    }
  }

  func waitEnded() {
    let number = nextWait
    nextWait += 1
    guard following != nil else {
      elapse(ns: latency(of: number))
      if waits.suspensionsAtWakes.contains(nextSuspension) { suspendIfDue() }
      return
    }
    guard number < history.waitEnds.count, let end = history.waitEnds[number] else { return }
    let latencyNs = ns(end) > clock.now ? recordedNs(now, end) : 0
    waits.latenciesNs.append(latencyNs)
    elapse(ns: latencyNs)
    if clock.now < ns(end) {
      waits.suspensionsAtWakes.insert(nextSuspension)
      suspendIfDue()
    }
  }

  private func latency(of wait: Int) -> UInt64 {
    guard !waits.latenciesNs.isEmpty else { return 0 }
    return overheads == .median ? medianLatencyNs : waits.latenciesNs[wait % waits.latenciesNs.count]
  }
}
