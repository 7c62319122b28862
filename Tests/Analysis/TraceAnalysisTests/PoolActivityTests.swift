import TestSupport
import Testing
import TraceAnalysis

/// The activity of the threads of the pool of Swift tasks while jobs waited.
extension QueueTests {
  /// Two threads wait for others for `waiting` ms, and then compute for 80 ms, each in two slices of one name.
  /// Meanwhile, a third job waits. The threads are sampled every 10 ms.
  private func poolOfOneName(waiting: Int) throws -> Analysis {
    let (first, last) = (waiting * 1000, waiting * 1000 + 80_000)
    let main = """
      10 work.create #10 name=5 kind=1 queue=1
      20 work.create #11 name=5 kind=1 queue=1
      21 work.create #13 name=5 kind=1 queue=1
      22 work.create #14 name=5 kind=1 queue=1
      30 work.create #12 name=7 kind=1 queue=1
      40 work.begin #10 queue=1
      \(first) work.end #10 why=0
      \(first + 10) work.begin #13 queue=1
      \(last) work.end #13 why=0
      \(last + 10) work.begin #12 queue=1
      \(last + 20) work.end #12 why=0
      \(last + 30) mark name=9
      """
    let second = """
      50 work.begin #11 queue=1
      \(first) work.end #11 why=0
      \(first + 10) work.begin #14 queue=1
      \(last + 10) work.end #14 why=0
      """
    var samples = """
      5 frameName address=4096 depth=0 function=5 file=0 line=0 column=0
      5 frameName address=4112 depth=0 function=6 file=0 line=0 column=0

      """
    for time in stride(from: 5000, to: last, by: 10_000) {
      let waits = time < first
      let call = waits ? "202" : "18446744073709551615"
      for thread in 100...101 {
        samples += """
          \(time) thread.state thread=\(thread) state=\(waits ? 83 : 82) system_call=\(call) \
          cpu_ns=\(max(time - first, 0) * 1000) waited_ns=0
          \(time) thread.stack thread=\(thread) reason=1 frame=\(waits ? 4096 : 4112)

          """
      }
    }
    return try QueueTrace(threads: [main, second, samples], info: ["\"machine\" \"x86_64\""]).analysis()
  }

  /// The threads computed for two fifths of the time.
  @Test func slicesOfOneNameThatDiffer() throws {
    let analysis = try poolOfOneName(waiting: 120)
    let backlog = try #require(analysis.work.backlogs.first)
    #expect(backlog.works.map(\.name) == ["work a", "work a"] && backlog.activity == .mixed)
    #expect(backlog.works.map(\.cause) == [.wait, .cpu])
    #expect(backlog.works.map(\.durationNs).reduce(0, +) == backlog.occupiedNs)
    let found = try #require(findings(.poolExhausted, analysis).first)
    #expect(
      found.text.contains("occupied by \"work a\" (waiting for other threads) and \"work a\" (CPU)"),
      "\(found.text)")
  }

  /// The threads computed for most of the time.
  @Test func aShortWaitDoesNotExhaustAPool() throws {
    let analysis = try poolOfOneName(waiting: 30)
    #expect(analysis.work.backlogs.map(\.activity) == [.computing])
    #expect(findings(.poolExhausted, analysis).isEmpty && !findings(.mainQueueWaits, analysis).isEmpty)
  }
}
