import TestSupport
import Testing
import TraceAnalysis
import TraceFacts

@testable import PageReport

/// The lanes of frames, hitches and states.
@Suite struct FrameLaneTests {
  private func text(_ numbers: [UInt64]) -> String { PackedColumn(numbers).text }
  private func text(growing numbers: [UInt64]) -> String { PackedColumn(growing: numbers).text }

  @Test func framesOfASource() throws {
    let timeline = try dataOfPage(HandTrace.frames().text()).timeline
    let lane = try #require(timeline.frames?.first)
    #expect(timeline.frames?.count == 1 && timeline.names[lane.name] == "tick" && lane.thread == 0)
    #expect(lane.interval == 10_000_000 && lane.hitches == 1 && lane.hitchTime == 10_000_000)
    #expect(lane.missing == 1 && lane.ratio == 250 && lane.band == "bad")
    #expect(lane.detail.whole && lane.detail.kept == 3 && lane.detail.total == 3)
    #expect(lane.detail.marks.due.text == text(growing: [10_000, 20_000, 40_000]))
    #expect(lane.detail.marks.length.text == text([1000, 14_000, 1000]))
    #expect(lane.detail.marks.outcome.text == text([0, 1, 0]))
    #expect(Set(lane.bins.columns.keys) == ["onTime", "late", "longest"])
    #expect(timeline.timers.contains { $0.id == lane.timer })
  }

  @Test func hitchesSayWhatToBlame() throws {
    let data = try dataOfPage(HandTrace.frames().text())
    let hitch = try #require(data.hitches?.first)
    #expect(data.hitches?.count == 1 && hitch.timer == data.timeline.frames?.first?.timer)
    #expect(hitch.start == 30_000_000 && hitch.length == 10_000_000)
    #expect(hitch.due == 20_000_000 && hitch.ready == 34_000_000)
    #expect(hitch.cause == Cause.busy.rawValue && hitch.causeLength == 13_000_000)
    #expect(hitch.blamed.map { data.timeline.names[$0] } == "source0 parse" && hitch.function == nil)
  }

  @Test func valuesOfAState() throws {
    let timeline = try dataOfPage(HandTrace.frames().text()).timeline
    let states = try #require(timeline.states)
    let lane = try #require(states.lanes.first)
    func number(_ name: String) -> UInt64 { timeline.names.firstIndex(of: name).map { UInt64($0) + 1 } ?? 0 }
    #expect(states.lanes.count == 1 && states.leftOut == 0 && states.cutAt == nil)
    #expect(timeline.names[lane.name] == "read" && number("draw") > 0)
    #expect(lane.start.text == text(growing: [0, 25_000, 45_000]))
    #expect(lane.value.text == text([number("draw"), number("parse"), 0]))
  }

  @Test func withoutFramesAndStates() throws {
    let data = try dataOfPage(HandTrace(main: HandTrace.asleep).text())
    #expect(data.hitches == nil && data.timeline.frames == nil && data.timeline.states == nil)
  }

  /// A lane with many frames keeps those around the worst ones. Its sums have all.
  @Test func manyFrames() {
    var limits = TimelineLimits()
    (limits.frames, limits.timerWindow) = (100, 16)
    let lane = FrameLane(timer: 0, place: 0, from: 0, to: 100_000, limits)
    for number: UInt64 in 0..<1000 {
      let isLate = number == 500
      lane.add(
        FrameFact(
          timer: 0, object: 1, name: 0, site: 0, createdBefore: 0, isDeclared: true,
          outcome: isLate ? .late : .onTime, due: number * 100, ready: number * 100 + (isLate ? 250 : 10),
          presented: number * 100 + 300))
    }
    let windows = lane.detail.windows(limit: 100)
    let (count, isWhole) = (lane.detail.count, lane.detail.whole != nil)
    #expect(count == 1000 && !isWhole && windows.count == 3)
    #expect(windows.contains { $0.marks.contains { $0.outcome == FrameOutcome.late.rawValue } })
    #expect(lane.bins.reduce(0) { $0 + $1.onTime } == 999)
    #expect(lane.bins.reduce(0) { $0 + $1.late } == 1 && lane.bins.contains { $0.longest == 250 })
  }

  /// Changes beyond the limit are left out, and the page says from when on.
  @Test func manyChanges() {
    var changes = StateChanges(limit: 2)
    for time: UInt64 in 0..<4 { changes.add(StateFact(name: 1, value: 2, time: time)) }
    #expect(changes.all.count == 2 && changes.cutAt == 2)
  }
}
