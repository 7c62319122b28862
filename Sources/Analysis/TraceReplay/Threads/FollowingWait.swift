/// The next wait after the listed gaps and busy intervals of an event loop, and the callouts of the pass after it. If that
/// wait returns at once, something waited for the loop.
struct FollowingWait {
  private let lane: Int
  /// Whether the thread runs an event loop.
  var isOn = false
  /// Whether a gap or busy interval was listed since the last wait.
  private var isListed = false
  /// Whether the pass in progress follows one with a listed gap or busy interval. Its callouts are needed one by one.
  private var isUnderWay = false
  /// Whether the next wait or the callouts before it are needed, so that passes must be replayed event by event.
  var needsEvents: Bool { isListed || isUnderWay }
  /// When the wait before the pass in progress began.
  private var waitBegan: Moment = .origin

  init(lane: Int) { self.lane = lane }

  mutating func noteListed() { isListed = isOn }

  /// Ends the pass, or the time before the first one, that began at `begin`, the end of the wait before it.
  @inline(__always)
  mutating func endPass(from begin: Moment, to time: Moment, _ tally: SpanTally, _ books: Books) {
    if isListed || isUnderWay { end(begin, time, tally, books) }
  }

  @inline(never)
  private mutating func end(_ begin: Moment, _ time: Moment, _ tally: SpanTally, _ books: Books) {
    if isUnderWay {
      let next = FoundNext(
        wait: begin.since(waitBegan), callouts: tally.longest(books.callouts), calloutCount: tally.count)
      books.held.note(next, lane: lane, end: waitBegan)
    }
    isUnderWay = isListed
    isListed = false
    waitBegan = time
  }

  /// The thread left the loop after the wait that returned at `begin`. The time since is not known to be a pass.
  func leave(from begin: Moment, _ books: Books) {
    if isUnderWay { books.held.note(FoundNext(wait: begin.since(waitBegan)), lane: lane, end: waitBegan) }
  }

  mutating func forget() {
    isListed = false
    isUnderWay = false
  }
}
