import TraceFormat

/// The point at which a replay diverges from the recording.
package struct Divergence: Equatable, Sendable {
  /// Nanoseconds since the trace's origin.
  package var atNs: UInt64
  /// The events: what the recording has, and what the replay does. Nil = nothing more.
  package var recorded: String?
  package var replayed: String?
}

/// A replay that follows the recording must do the same things in the same order. It waits as long as the recorded loop
/// did, and finds out how long the loop took to wake up.
extension LoopReplay {
  /// Compares an event with the recording. Stops the replay at the first difference.
  func follow(_ event: ReplayedEvent) {
    let next = followed
    guard next < events.count else { return diverge(event, nil) }
    let expected = events[next]
    guard expected.kind == event.kind, expected.object == event.object, expected.mode == event.mode,
      expected.time == event.time
    else {
      if firstDifference == nil { explanations = shifts(explaining: event, expected) }
      return diverge(event, expected)
    }
    followed = next + 1
  }

  /// Notes the first difference, and stops the replay.
  private func diverge(_ event: ReplayedEvent, _ expected: RecordedEvent?) {
    guard firstDifference == nil else { return }
    if let expected {
      firstDifference = Divergence(
        atNs: expected.time * recording.unitNs, recorded: words(expected.kind, expected.object),
        replayed: words(event.kind, event.object)
          + (expected.time == event.time ? "" : " at \(SecondsText.of(ns: event.time * recording.unitNs))"))
    } else {
      firstDifference = Divergence(
        atNs: event.time * recording.unitNs, recorded: nil, replayed: words(event.kind, event.object))
    }
    clock.stop()
  }

  /// The point at which a replay that followed the recording diverged from it; nil = it never did.
  var divergence: Divergence? {
    guard isFollowing else { return nil }
    if let firstDifference { return firstDifference }
    guard followed < events.count else { return nil }
    let missing = events[followed]
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
    guard isFollowing, nextWait < history.waitEnds.count, let end = history.waitEnds[nextWait] else { return }
    // If nothing wakes the model by then, something that was not recorded woke the loop. Waits end in order.
    clock.schedule(at: ns(end), .timeout, waitEndCheck)
  }

  /// Wakes the loop if the wait that ends now is still under way.
  func checkWaitEnd() {
    let number = checkedWaits
    checkedWaits += 1
    guard nextWait == number, let end = history.waitEnds[number] else { return }
    waits.inferredWakes.append(end)
    wakeUp()
  }

  func waitEnded() {
    let number = nextWait
    nextWait += 1
    guard isFollowing else {
      elapse(ns: latency(of: number))
      if !waits.suspensionsAtWakes.isEmpty, waits.suspensionsAtWakes.contains(nextSuspension) {
        suspendIfDue()
      }
      return
    }
    guard number < history.waitEnds.count, let end = history.waitEnds[number] else { return }
    // In virtual time, a loop wakes at once.
    let isLate = ns(end) > clock.now && !recording.isVirtual
    let latencyNs = isLate ? recordedNs(now, end) : 0
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
