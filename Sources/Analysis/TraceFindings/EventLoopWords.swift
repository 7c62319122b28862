import TraceResults

/// The words that rules use for event loops. They have no modes and no main queue, and of their work only callouts for
/// descriptors, wake-ups and time limits are recorded.
enum EventLoopWords {
  static let unknownWork: Sentence = "the recording does not show what it served in that time"
  static let moveWork: Sentence =
    "Do this work on another thread or in smaller pieces: meanwhile, the loop serves nothing else."
  static let servedLate: Sentence = "The loop was busy when it was woken. Do less between two of its waits."
  static let wait: Sentence = "Wait with a time limit above zero if the program has nothing else to do."
  static let wake: Sentence =
    "Write to the descriptor that wakes the loop, and let the loop wait for that descriptor."
  static let notWaitedFor: Sentence = "no event loop waited for its descriptor"

  /// A further sentence about the work that waited while a loop was busy, if the recording shows it.
  static func waited(_ span: some LongSpan, _ analysis: Analysis) -> Sentence {
    if analysis.mayHaveLeft(span) { return mayHaveLeft(analysis) }
    let meanwhile = [duePoints(span.waited), wokenLate(span, analysis)].compactMap(\.self)
    let next = next(span.waited)
    guard !meanwhile.isEmpty || next != nil else {
      return ". The recording does not show whether something waited meanwhile"
    }
    let first: Sentence = meanwhile.isEmpty ? "" : ". Meanwhile, \(meanwhile.listed())"
    return "\(first)\(next ?? "")"
  }

  static func mayHaveLeft(_ analysis: Analysis) -> Sentence {
    ". The loop did not wait again before \(Phrase.end(analysis)), so the thread may have left it"
  }

  private static func duePoints(_ waited: WaitedWork) -> Sentence? {
    guard waited.duePoints > 0 else { return nil }
    return "\(count: waited.duePoints, "due_points", "timer came due", "timers came due")"
  }

  /// The source whose longest delay began in the span. Loops may share the name of a source.
  private static func wokenLate(_ span: some LongSpan, _ analysis: Analysis) -> Sentence? {
    guard analysis.loops.count == 1 else { return nil }
    let late = analysis.sources.filter { source in
      source.signalToCalloutNs.max > 0 && source.longestStartNs >= span.startNs
        && source.longestStartNs < span.endNs
    }.max { ($0.signalToCalloutNs.max, $1.name) < ($1.signalToCalloutNs.max, $0.name) }
    return late.map {
      "\(name: $0.name) was signalled, and served \(ns: $0.signalToCalloutNs.max, "signal_to_callout_ns") later"
    }
  }

  private static func next(_ waited: WaitedWork) -> Sentence? {
    guard waited.wasReady, let waitNs = waited.nextWaitNs else { return nil }
    let named = waited.served.filter { $0.kind != CalloutKind.observers }.enumerated().map {
      number, served -> Sentence in
      "\(Phrase.callout(served.kind, served.name)) (\(count: served.count, "served_\(number + 1)"))"
    }
    let served: Sentence =
      named.isEmpty
      ? ""
      : ", and the loop then served \(count: waited.servedCount, "served", "callout", "callouts"): \(named.listed())"
    // A call with the time limit 0 may also return without a result.
    guard waitNs > 0 || !named.isEmpty else {
      return ". The loop then went on without a wait (\(ns: waitNs, "next_wait_ns"))"
    }
    return
      ". The next wait returned at once (\(ns: waitNs, "next_wait_ns")): further work was waiting\(served)"
  }
}
