import TraceFacts
import TraceFormat

/// Sends the begins of runs, passes, waits and callouts to the sink.
extension ThreadReplay {
  /// Sends facts to the sink from now on, first the begins of everything that is open.
  mutating func begin(sending sink: SinkLink?) {
    facts.sink = sink
    facts.wantsBegins = sink?.wantsBegins ?? false
    guard facts.wantsBegins else { return }
    var callout = 0
    for level in 0...depth {
      let enclosing = level < depth ? frames[level].enclosingCallouts : callouts.count
      while callout < enclosing {
        reportBegin(callouts[callout], callout, callouts[callout].begin &- callouts[callout].suspended)
        callout += 1
      }
      guard level < depth else { return }
      let frame = frames[level]
      report(.run(loop: frame.loop.object.rawValue, depth: level), frame.mode, frame.began)
      if frame.phase == Phase.waiting.rawValue { report(.wait, frame.mode, frame.phaseStart) }
    }
  }

  @inline(never)
  func report(_ what: SpanBegin.What, _ mode: ModeID, _ time: Moment) {
    let fact = SpanBegin(thread: thread.rawValue, mode: mode.rawValue, start: time.rawValue, what: what)
    facts.sink?.report { $0.begin(fact) }
  }

  @inline(never)
  func reportBegin(_ open: OpenCallout, _ depth: Int, _ time: Moment) {
    let name = books.objects.name(of: open.object).rawValue
    report(
      .callout(kind: open.kind.rawValue, object: open.object.rawValue, name: name, depth: depth), clock.mode,
      time)
  }

  @inline(never)
  func reportWaitEnd(_ time: Moment) {
    facts.sink?.report { $0.wait(WaitEnd(thread: thread.rawValue, end: time.rawValue)) }
  }
}
