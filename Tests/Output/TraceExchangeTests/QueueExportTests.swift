import Foundation
import TestSupport
import Testing
import TraceAnalysis
import TraceExchange
import TraceFacts
import TraceFormat

/// Work of queues in files for other viewers.
@Suite struct QueueExportTests {
  /// Two blocks of a serial queue, a task that goes to an actor, and two tasks at once in the pool, one to the end.
  private let trace = QueueTrace(threads: [
    """
    10 work.create #10 name=5 kind=0 queue=2
    20 work.create #11 name=6 kind=0 queue=2
    25 work.create #12 name=7 kind=1 queue=1 parent=0 site=9
    9000 mark name=9
    """,
    """
    110 work.begin #10 queue=2
    1110 work.end #10 why=0
    1120 work.begin #11 queue=2
    1320 work.end #11 why=0
    2000 work.create #13 name=8 kind=1 queue=1
    2100 work.begin #13 queue=1
    """,
    """
    200 work.begin #12 queue=1
    300 work.end #12 why=2
    400 work.begin #12 queue=4
    500 work.end #12 why=1
    2050 work.queue #12 queue=1
    2150 work.begin #12 queue=1
    2250 work.end #12 why=0
    """,
  ])

  private func export(_ format: TimelineFormat, minimumNs: UInt64 = 0) throws -> [UInt8] {
    let reader = try openTrace(assembleTrace(trace.text))
    let sink = MemorySink()
    let exporter = TimelineExporter(
      format, reader: reader, name: "test", minimumNs: minimumNs, maximum: 1000, to: sink)
    var options = AnalysisOptions()
    options.sink = exporter.sink
    let analysis = try TraceAnalyzer(reader, options: options).analyze()
    _ = try exporter.finish(analysis)
    return sink.bytes
  }

  private func chromeEvents() throws -> [[String: Any]] {
    let file = try JSONSerialization.jsonObject(with: Data(try export(.chrome))) as? [String: Any]
    return try #require(file?["traceEvents"] as? [[String: Any]])
  }

  private func argument(_ key: String, _ event: [String: Any]) -> String {
    (event["args"] as? [String: Any])?[key].map { "\($0)" } ?? "-"
  }

  @Test func slicesOfThreadsHaveTheirQueue() throws {
    let ends = try chromeEvents().filter { $0["ph"] as? String == "E" }
    let found = ends.map {
      "\($0["name"] as? String ?? "-") \(argument("queue", $0)) \(argument("waited_ns", $0)) "
        + argument("unfinished", $0)
    }
    #expect(
      found.sorted() == [
        "lost pool 100000 1", "work a db 100000 -", "work b db 1100000 -", "work c Store 100000 -",
        "work c pool 100000 -", "work c pool 175000 -",
      ])
  }

  /// Slices at once are on different tracks of the queue.
  @Test func queuesHaveTracks() throws {
    let file = PerfettoFile(try export(.perfetto))
    let lanes = file.tracks.filter { $0.value.hasPrefix("queue: ") }
    #expect(lanes.values.sorted() == ["queue: Store", "queue: db", "queue: pool", "queue: pool"])
    for lane in lanes.keys {
      let events = file.events.filter { $0.track == lane }
      #expect(events.map(\.type) == events.indices.map { $0.isMultiple(of: 2) ? 1 : 2 })
      #expect(events.map(\.time) == events.map(\.time).sorted())
    }
    let begun = file.events.filter { lanes[$0.track] == "queue: db" && $0.type == 1 }
    #expect(begun.map(\.name) == ["work a", "work b"] && begun.allSatisfy { $0.category == "work" })
    let chrome = try chromeEvents().filter { $0["ph"] as? String == "b" && $0["cat"] as? String == "work" }
    #expect(chrome.count == 6)
    #expect(chrome.filter { argument("track", $0) == "queue: pool" }.count == 3)
    #expect(String(decoding: try export(.firefox), as: UTF8.self).contains(#""name":"queue: db""#))
    #expect(!String(decoding: try export(.speedscope), as: UTF8.self).contains("queue: db"))
  }

  /// The counter shows how much work waits. Values that last less than the shortest slice are left out.
  @Test func waitingWorkIsCounted() throws {
    func values(_ name: String, _ file: PerfettoFile) -> Int {
      file.events.count { $0.type == 4 && file.tracks[$0.track] == "waiting: \(name)" }
    }
    let all = PerfettoFile(try export(.perfetto))
    #expect(values("db", all) == 4)
    #expect(values("pool", all) == 6)
    let long = PerfettoFile(try export(.perfetto, minimumNs: 200_000))
    #expect(values("db", long) == 2)
    let samples = try chromeEvents().filter { $0["name"] as? String == "waiting: db" }
    #expect(samples.map { argument("value", $0) } == ["1", "2", "1", "0"])
  }

  @Test func aWindowBeginsWithWhatWaits() throws {
    let collector = FactCollector(wantsBegins: true)
    var options = AnalysisOptions()
    options.sink = collector
    options.from = 50
    _ = try TraceAnalyzer(openTrace(assembleTrace(trace.text)), options: options).analyze()
    #expect(collector.waiting.prefix(2).map(\.count) == [1, 2])
    #expect(collector.waiting.prefix(2).allSatisfy { $0.time == 50 })
    let queues = collector.callouts.map(\.queue?.object)
    #expect(queues.count == 6 && queues.allSatisfy { $0 != nil })
    let without = FactCollector()
    options.sink = without
    _ = try TraceAnalyzer(openTrace(assembleTrace(trace.text)), options: options).analyze()
    #expect(without.waiting.isEmpty)
  }
}
