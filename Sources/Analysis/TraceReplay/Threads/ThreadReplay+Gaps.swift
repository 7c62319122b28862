/// The ends of gaps.
extension ThreadReplay {
  @inline(__always)
  mutating func endGap(_ time: Moment, isSeen: Bool) {
    if isInCallout || observing.isUnderWay { shareOpen(time) }
    if gap.isLong(time) { listGap(time, isOpen: false, isSeen: isSeen && !blind.isUnderWay) }
    if !isSeen || blind.isUnderWay { turnBlind(time, isSeen: isSeen) }
  }

  /// Handles an activity in a mode that is not common, or the first one in a common mode after that.
  @inline(never)
  private mutating func turnBlind(_ time: Moment, isSeen: Bool) {
    if isSeen {
      blind.end(time, lane: lane, books.detectors)
    } else if !blind.isUnderWay {
      let starter = isInCallout || callouts.enclosing > 0 ? callouts.address(callouts.count - 1) : nil
      blind.begin(
        gap,
        starter: starter.map {
          SpanCallout(
            kind: $0.pointee.kind, name: books.callouts.rows[Int($0.pointee.row)].name,
            object: $0.pointee.object,
            count: 1, time: .zero, selfTime: .zero)
        })
    }
  }

  /// Ends the gap in progress at the end of the span (`isOpen`), or where events were lost.
  mutating func stopGap(_ time: Moment, isOpen: Bool) {
    if isInCallout || observing.isUnderWay { shareOpen(time) }
    if gap.isKnown, depth > 0, gap.isLong(time) {
      listGap(time, isOpen: isOpen, isSeen: frames[depth - 1].isSeen && !blind.isUnderWay)
    }
    if blind.isUnderWay { blind.end(time, lane: lane, books.detectors) }
  }

  @inline(never)
  mutating func listGap(_ time: Moment, isOpen: Bool, isSeen: Bool) {
    // After a run's Exit, outside any run, there is no mode.
    let isOutside = gap.phase == .exit && depth == 0
    if isOutside, outermost.isUnfinished { return }
    gap.list(
      time, isOutside: isOutside, isOpen: isOpen, isSeen: isSeen, duePoints: busy.duePoints, books)
    busy.following.noteListed()
  }
}
