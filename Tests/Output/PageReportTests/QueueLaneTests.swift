import TestSupport
import Testing
import TraceAnalysis
import TraceFacts
import TraceFormat

@testable import PageReport

/// The lanes of queues.
@Suite struct QueueLaneTests {
  private func timeline(_ text: String) throws -> PageTimeline {
    try dataOfPage(text).timeline
  }

  /// Slices that run at once are in different rows; one goes on at the end.
  @Test func slicesByQueue() throws {
    let main = """
      10 work.create #10 name=5 kind=0 queue=2
      20 work.create #12 name=7 kind=1 queue=1
      9000 mark name=9
      """
    let first = """
      110 work.begin #10 queue=2
      1110 work.end #10
      2000 work.create #13 name=8 kind=1 queue=1
      2100 work.begin #13 queue=1
      """
    let second = """
      200 work.begin #12 queue=1
      300 work.end #12 why=1
      2050 work.queue #12 queue=1
      2150 work.begin #12 queue=1
      2250 work.end #12 why=0
      """
    let timeline = try timeline(QueueTrace(threads: [main, first, second]).text)
    let queues = try #require(timeline.queues)
    #expect(queues.leftOut == 0)
    #expect(queues.lanes.map { timeline.names[$0.name] } == ["pool", "db"])
    let pool = queues.lanes[0].lane
    #expect(pool.detail.whole && pool.detail.kept == 3 && pool.modes.isEmpty)
    #expect(pool.detail.marks.start.text == PackedColumn(growing: [200, 2100, 2150]).text)
    #expect(pool.detail.marks.length.text == PackedColumn([100, 6900, 100]).text)
    let rowOne = timeline.shapes.filter { $0[0] >= Int(SpanMark.What.firstCallout) && $0[2] == 1 }
    #expect(rowOne.map { timeline.names[$0[3]] } == ["lost"])
    #expect(timeline.threads.map(\.index) == [1, 2])
    #expect(timeline.threads.map(\.detail.total) == [2, 2])
  }

  @Test func withoutQueues() throws {
    #expect(try timeline(HandTrace(main: HandTrace.asleep).text()).queues == nil)
  }

  /// Queues beyond the lanes are counted.
  @Test func manyQueues() throws {
    let queues = (100..<120).map { "\($0) queue.create #\($0) name=0 kind=0 width=1\n" }
    let slices = (100..<120).map {
      "\(10 * $0) work.begin #\(100 + $0) queue=\($0)\n\(10 * $0 + 5) work.end #\(100 + $0)\n"
    }
    let timeline = try timeline(QueueTrace(threads: [queues.joined(), slices.joined()]).text)
    #expect(timeline.queues?.lanes.count == TimelineEncoder.queueLimit)
    #expect(timeline.queues?.leftOut == 20 - TimelineEncoder.queueLimit)
  }

  /// More slices at once than rows are in the sums.
  @Test func slicesBeyondTheRows() {
    let queue = ServingQueue(object: 1, name: 2, waited: 0)
    var lane = QueueLane(queue, from: 0, to: 1000, TimelineLimits())
    for number in 0..<100 {
      lane.add(
        CalloutFact(
          thread: 0, kind: 34, object: UInt32(number), name: 3, mode: 0, depth: 0, start: UInt64(number),
          end: 500, nested: 0, suspended: 0, queue: queue), waited: 0)
    }
    let (rows, marks) = (lane.rows, lane.lane.detail.count)
    let counts = lane.lane.bins.reduce(0) { $0 + Int($1.calloutCount) }
    #expect(rows == 64 && marks == 64 && counts == 100)
  }
}
