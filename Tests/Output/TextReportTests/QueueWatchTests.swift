import TestSupport
import Testing
import TraceAnalysis
import TraceFormat

@testable import TextReport

/// Queues whose work waits, in `rltrace watch`.
@Suite struct QueueWatchTests {
  /// A block of the queue db runs for two seconds, and two blocks wait behind it.
  private static let main = """
    10 work.create #10 name=5 kind=0 queue=2
    20 work.begin #10 queue=2
    30 work.create #11 name=6 kind=0 queue=2
    40 work.create #12 name=7 kind=0 queue=2
    2000030 mark name=9
    """

  private func analysis(_ main: String) throws -> Analysis {
    try TraceAnalyzer(openTrace(assembleTrace(QueueTrace(threads: [main]).text))).analyze()
  }

  private func screen(_ analysis: Analysis, _ keys: [WatchKey]) -> [String] {
    var choices = WatchChoices()
    for key in keys { _ = choices.take(key) }
    let status = WatchStatus(name: "app.rltrace", processID: 812, elapsedNs: analysis.trace.toNs)
    return WatchScreen(analysis, status, choices, width: 100, height: 24, isColoured: false).lines()
  }

  @Test func whatWaitsBehindWhat() throws {
    let analysis = try analysis(Self.main)
    let now = try #require(QueueNow.all(analysis).first)
    #expect(now.text == "queue \"db\": 2 wait, the oldest for 2.00 s; runs \"work a\" for 2.00 s")
    #expect(now.isAlarming && QueueNow.all(analysis).count == 1)
    let lines = screen(analysis, [.character("b")])
    #expect(lines.contains { $0.contains("[b]acklog") } && lines.contains("\(now.text) ▲"))
    let row = try #require(lines.first { $0.hasPrefix("> db") })
    #expect(row.contains("serial") && row.contains("2.00 s") && row.contains("\"work a\" for 2.00 s"))
    #expect(screen(analysis, [.character("?")]).contains { $0.contains("the queues whose work waits") })
    let status = WatchStatus(name: "app", processID: 1, elapsedNs: 2_000_000_000)
    #expect(WatchLine.lines(analysis, status) == ["00:00:02  \(now.text)"])
  }

  /// A view that begins late knows only how long the work has waited since then.
  @Test func workThatWaitedBefore() throws {
    var analysis = try analysis(Self.main)
    analysis.work.beginningNs = 40_000
    #expect(QueueNow.all(analysis).map(\.waited) == ["at least 2.00 s"])
  }

  @Test func lostEvents() throws {
    let analysis = try analysis(
      Self.main.replacing("2000030 mark", with: "50 lostEvents count=3\n2000030 mark"))
    #expect(QueueNow.all(analysis).isEmpty)
    #expect(screen(analysis, [.character("b")]).contains { $0.contains("not known: events were lost") })
  }

  @Test func nothingWaits() throws {
    let analysis = try analysis(
      "10 work.create #10 name=5 kind=0 queue=2\n20 work.begin #10 queue=2\n30 work.end #10 why=0")
    #expect(QueueNow.all(analysis).isEmpty)
    let status = WatchStatus(name: "app", processID: 1, elapsedNs: 0)
    #expect(WatchLine.lines(analysis, status).first?.contains("no work waits long") == true)
  }

  /// Two queues share the name: the work may wait in the one that runs nothing.
  @Test func queuesOfOneName() throws {
    let analysis = try analysis("0 queue.create #9 name=2 kind=0 width=1\n" + Self.main)
    let now = try #require(QueueNow.all(analysis).first)
    #expect(now.queue.queues == 2 && now.runs.isEmpty)
    #expect(now.text == "queue \"db\": 2 wait, the oldest for 2.00 s")
  }

  /// The slices of actors occupy the threads of the pool.
  @Test func actorsInThePool() throws {
    let main = """
      10 work.create #10 name=5 kind=1 queue=4
      20 work.begin #10 queue=4
      30 work.create #11 name=6 kind=1 queue=1
      1000000 mark name=9
      """
    let now = try #require(QueueNow.all(try analysis(main)).first)
    #expect(now.queue.name == "pool" && now.runs.hasPrefix("\"work a\" for "))
  }

  /// Screens of recordings without queues do not mention them.
  @Test func recordingsWithoutQueues() throws {
    let analysis = try TraceAnalyzer(openTrace(SampleTraces.bytes(virtual: "stall-in-timer"))).analyze()
    #expect(!screen(analysis, []).contains { $0.contains("acklog") })
  }
}
