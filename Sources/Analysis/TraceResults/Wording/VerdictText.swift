import TraceFormat

extension Verdict {
  /// The verdict in one or two sentences.
  public var text: String {
    switch outcome {
    case .fault: return finding?.text ?? ""
    case .undecided: return "Undecided: \(doubt?.text ?? "")."
    case .clear:
      let found = hasMissedFires ? "No error or warning was found" : "Nothing wrong was found"
      let said = claims.isEmpty ? "" : ": \(claims.map(\.text).joined(separator: ", "))"
      let clear = "\(found)\(said).\(unseen.map { " \($0.text)" }.joined())"
      guard let finding else { return clear }
      let others =
        furtherFindings > 0
        ? " (\(Phrase.count(furtherFindings, "more finding is", "more findings are")) listed below.)" : ""
      return "\(clear) For information: \(finding.text)\(others)"
    }
  }
}

extension Verdict.Unseen {
  fileprivate var text: String {
    switch self {
    case .queues: "Tasks, and queues other than the main queue, were not recorded."
    case .tasks: "The recording has no Swift tasks."
    case .allButJobs:
      "Swift tasks, actors and other queues could not be seen, only jobs of the global executor."
    case .waitsOfHandlers:
      "On queues other than the main queue, handlers of dispatch sources, also of timers, and notifications of groups were not judged: when they were due is not recorded."
    case .waitsOfOperations: "How long operations waited in an OperationQueue is not recorded."
    case .workOfEventLoops:
      "Only the waits of event loops and what they served were recorded, not other timers and the work of executors."
    case .pools: "The threads of pools were not judged."
    }
  }
}

extension Verdict {
  /// The other faults in one or two lines; empty = there are none.
  package var also: String {
    guard !others.isEmpty else { return "" }
    let more = moreFaults > 0 ? ["and \(Phrase.count(moreFaults, "more finding", "more findings"))"] : []
    return "Also: \((others.map(\.brief) + more).joined(separator: "; "))."
  }
}

extension Finding {
  /// The title, the number, how often it happened, and the subject: `the loop hangs, 607 ms without a wait, 3 times
  /// ("import")`.
  package var brief: String {
    let number = headline.map { ", \($0.value) \($0.label)" } ?? ""
    // The title of several findings states their number.
    let often = headline?.timeNs != nil && times > 1 && members.isEmpty ? ", \(times) times" : ""
    let name = blocker.isEmpty ? subject : blocker
    return title + number + often + (name.isEmpty ? "" : " (\"\(elided(name, limit: 60))\")")
  }
}

extension Verdict.Claim {
  fileprivate var text: String {
    switch self {
    case .noHang: "no run loop hung"
    case .noEventLoopHang: "no event loop hung"
    case .noQueueHang: "the main queue did not hang"
    case .noQueueStall: "no work waited 100 ms in a queue"
    case .noMissedFire: "no timer missed a fire"
    }
  }
}

extension Verdict.Doubt {
  /// The doubt as part of a sentence.
  package var text: String {
    switch self {
    case .notAnalyzed: "nothing was analyzed"
    case .spanBehindEnd(let fromNs, let endNs):
      "the span begins at \(Units.moment(fromNs)), and the recording ends at \(Units.duration(endNs))"
    case .noEvents(isWhole: true): "the recording holds no events"
    case .noEvents(isWhole: false): "the span holds no events, and no run loop ran in it"
    case .noRun(let isWhole): "no run loop ran in \(isWhole ? "this recording" : "the span")"
    case .emptyModes(let isWhole):
      "in \(isWhole ? "this recording" : "the span"), run loops ran only modes without sources or timers"
    case .busyAtBreak(let thread, let ns):
      "the recording breaks off after \(who(thread)) had been busy for \(Units.duration(ns)); how long it stayed busy is not known"
    case .busyAtStart(let thread, let ns):
      "\(who(thread)) was busy when the span began, and for \(Units.duration(ns)) after that; a hang that began before the span does not count in it"
    case .uncertainHang(let thread, let ns):
      "\(who(thread)) may have hung for \(Units.duration(ns)), but that is uncertain: events were lost in that time, or the recorder itself was late"
    case .unread(let note): note.text
    case .unfollowed(let count):
      "\(Phrase.count(count, "event", "events")) of timers, runs or callouts beyond the limits could not be followed"
    case .unsound(.damaged(let blocks)):
      "\(Phrase.count(blocks, "block of the trace is", "blocks of the trace are")) damaged, and \(blocks == 1 ? "its" : "their") content is not known"
    case .unsound(.incomplete): "the trace is incomplete, and the content of the missing part is not known"
    case .unsound(.contradictions(let count, nil, _)):
      "the trace contradicts itself in \(Phrase.count(count, "place", "places")); `rltrace validate` lists them"
    case .unsound(.contradictions(let count, let thread?, let ns)):
      "the trace contradicts itself in \(Phrase.count(count, "place", "places")), first at \(Units.moment(ns)) on thread \(Phrase.thread(thread).text()); `rltrace validate` lists them"
    }
  }

  private func who(_ thread: ThreadDefinition) -> String { "thread \(Phrase.thread(thread).text())" }
}
