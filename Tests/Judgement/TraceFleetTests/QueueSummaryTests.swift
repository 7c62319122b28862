import TestSupport
import Testing
import TraceAnalysis
import TraceFleet
import TraceFormat

/// Queues other than the main queue in summaries.
@Suite struct QueueSummaryTests {
  private func summary(_ threads: [String], hasQueues: Bool = true) throws -> SessionSummary {
    let text = QueueTrace(threads: threads, hasQueues: hasQueues).text
    let analysis = try TraceAnalyzer(openTrace(assembleTrace(text))).analyze()
    return SummaryBuilder.summary(of: analysis, id: "one", keys: [:], session: "session")
  }

  /// Two blocks of the queue db, one for a queue without a name, and one that still waits for a second at the end.
  private static let main = """
    10 work.create #10 name=5 kind=0 queue=2
    20 work.create #11 name=6 kind=0 queue=2
    30 work.begin #10 queue=2
    1030 work.end #10 why=0
    1040 work.begin #11 queue=2
    1140 work.end #11 why=0
    2000 work.create #12 name=7 kind=0 queue=77
    2010 work.begin #12 queue=77
    2020 work.end #12 why=0
    3000 work.create #13 name=7 kind=0 queue=3
    1003000 mark name=9
    """

  @Test func rowsOfQueues() throws {
    let summary = try summary([Self.main])
    let rows = summary.rows(.queues)
    #expect(rows.map(\.identity) == [["log", "serial"], ["db", "serial"], ["", ""]])
    let db = try #require(rows.first { $0.identity[0] == "db" }?.row)
    for (field, value) in [
      ("sessions", 1), ("queued", 2), ("slices", 2), ("waited_ns", 1_040_000), ("ran_ns", 1_100_000),
      ("longest_wait_ns", 1_020_000),
    ] as [(String, UInt64)] {
      #expect(db.number(field, of: .queues) == value, "\(field)")
    }
    #expect(db.longestIn == "session")
    // Work that still waits has waited so far.
    #expect(rows[0].row.number("waited_ns", of: .queues) == 1_000_000_000)
    let judged = summary.rows(.measures).map(\.identity).filter { $0[0] == "queue_wait_p90_ns" }
    #expect(judged.map { $0[1] } == ["db", "log"])
    let line = SummaryJSON.encode(summary)
    #expect(try SummaryJSON.decode(line) == summary)
  }

  /// Lines of recordings without queues are those of earlier versions.
  @Test func recordingsWithoutQueues() throws {
    let summary = try summary(["20 mark name=9"], hasQueues: false)
    let line = String(decoding: SummaryJSON.encode(summary), as: UTF8.self)
    #expect(!line.contains("\"queues\""))
    #expect(try SummaryJSON.decode(Array(line.utf8)) == summary)
    #expect(
      try SummaryJSON.decode(Array(line.replacing("\"stalls\":", with: "\"queues\":[],\"stalls\":").utf8))
        == summary)
  }

  @Test func namesOfQueuesArePrivate() throws {
    let summary = try summary([Self.main])
    let hashed = summary.withNames { "#" + String($0.reversed()) }
    #expect(hashed.rows(.queues).map(\.identity) == [["#gol", "serial"], ["#bd", "serial"], ["", ""]])
    let without = summary.withoutNames
    #expect(without.rows(.queues).map(\.identity) == [["", "serial"], ["", ""]])
    #expect(without.sum(.queues, "waited_ns") == summary.sum(.queues, "waited_ns"))
    #expect(!String(decoding: SummaryJSON.encode(without), as: UTF8.self).contains("queue_wait_p90_ns"))
  }

  /// A recording may have many queues. Each list is limited, and sums stay exact.
  @Test func manyQueues() throws {
    let numbers = 100..<300
    var lines = [
      "rltrace-text 1", "header minor=2 unit=1us codec=none capture=callouts clock=virtual high=no",
      "strings",
    ]
    lines += numbers.map { "  \($0) \"queue \($0)\"" }
    lines += ["threads", "  0 os=100 main=yes \"main\"", "modes", "  1 \"kCFRunLoopDefaultMode\""]
    lines.append("events thread=0")
    lines += numbers.map { "  0 queue.create #\($0 + 1000) name=\($0) kind=0 width=1" }
    lines += numbers.map { "  \($0) work.create #\($0) name=100 kind=0 queue=\($0 + 1000)" }
    for number in numbers {
      lines.append("  \(number * 10) work.begin #\(number) queue=\(number + 1000)")
      lines.append("  \(number * 10 + 5) work.end #\(number) why=0")
    }
    lines.append("end")
    let analysis = try TraceAnalyzer(openTrace(assembleTrace(lines.joined(separator: "\n")))).analyze()
    let summary = SummaryBuilder.summary(of: analysis, id: "many", keys: [:], session: "many")
    #expect(analysis.work.queues.count == 200)
    #expect(summary.rows(.queues).count == SummaryBuilder.rowLimit + 1)
    #expect(summary.sum(.queues, "slices") == 200)
    let judged = summary.rows(.measures).filter { $0.identity[0] == Question.waitForQueue.rawValue }
    #expect(judged.count == SummaryBuilder.judgedQueues)
  }

  @Test func hostileLines() throws {
    let line = String(decoding: SummaryJSON.encode(try summary([Self.main])), as: UTF8.self)
    for (from, to, part) in [
      ("\"queue\":\"db\"", "\"queue\":\"\(String(repeating: "x", count: 5_000))\"", "longer than"),
      ("\"queue\":\"db\"", "\"queue\":\"log\"", "two rows"), ("\"queue\":\"db\"", "\"queue\":7", "queue"),
      ("\"slices\":2", "\"slices\":-2", "not whole"),
      ("\"slices\":2", "\"slices\":9223372036854775808", "slices is larger than"),
      ("\"wait_ns\":[[", "\"wait_ns\":[[1,0],[", "wrong pair"), ("\"queues\":[", "\"queues\":[7,", ""),
    ] {
      let changed = line.replacing(from, with: to)
      #expect(changed != line)
      #expect { try SummaryJSON.decode(Array(changed.utf8)) } throws: {
        "\($0)".contains(part) || part.isEmpty
      }
    }
  }

  /// Sessions of two builds: the second one's work waits longer.
  @Test func buildsAreJudgedByTheirWaits() throws {
    var fleet = Fleet(keys: ["build"])
    for number in 0..<60 {
      let wait = 1_000 + number * 7 + (number % 2 == 1 ? 30_000 : 0)
      let events = """
        10 work.create #10 name=5 kind=0 queue=2
        \(10 + wait) work.begin #10 queue=2
        \(20 + wait) work.end #10 why=0
        """
      var one = try summary([events])
      one.id = "\(number)"
      one.keys = ["build": "\(number % 2)"]
      fleet.add(one)
    }
    let judgement = FleetJudgement(fleet, base: ["build": "0"], new: ["build": "1"], strata: [])
    #expect(judgement.regressions.map(\.question) == [.waitForQueue])
    #expect(judgement.regressions.map(\.subject) == ["db"])
  }
}
