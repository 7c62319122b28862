import TestSupport
import Testing
import TraceFleet

/// Merging is associative and commutative, so order and grouping never change a byte.
@Suite struct MergingTests {
  /// Returns random summaries, made as text and then parsed. They have the fields that `SummaryList` declares.
  static func random(_ count: Int, _ random: inout SeededGenerator) throws -> [SessionSummary] {
    try (0..<count).map { number in
      var text = "{\"schema\":\"\(SessionSummary.schema)\",\"id\":\"\(number)\",\"sessions\":1,"
      text += "\"keys\":{\"build\":\"\(random.next() % 3)\",\"os\":\"\(random.next() % 3)\"}"
      for list in SummaryList.all {
        text += ",\"\(list.name)\":["
        // The recording counts once.
        let rows = list.name == SummaryList.recordings.name ? 1 : Int(random.next() % 4)
        text += (0..<rows).map { row in
          var fields = list.identity.map { "\"\($0.name)\":\"\(row * 3 + Int(random.next() % 3))\"" }
          if list.identity.isEmpty, row > 0 { return nil }
          for field in list.fields {
            if list.name == SummaryList.recordings.name {
              let value =
                field.name == "sessions"
                ? 1 : field.name == "lossy_sessions" ? (random.oneIn(9) ? 1 : 0) : random.next() % 100
              fields.append("\"\(field.name)\":\(value)")
              continue
            }
            // Hang time is limited by the time in runs.
            if random.oneIn(5) || field.name == "hang_ns" { continue }
            switch field.kind {
            case .sum:
              fields.append("\"\(field.name)\":\(random.oneIn(20) ? UInt64.max / 2 : random.next() % 1_000)")
            case .longest:
              fields += [
                "\"\(field.name)\":\(random.next() % 4)", "\"longest_in\":\"s\(random.next() % 5)\"",
              ]
            case .cells:
              let values = Set((0..<random.next() % 5).map { _ in random.next() % 10 }).sorted()
              fields.append(
                "\"\(field.name)\":["
                  + values.map { "[\($0),\(random.next() % 9 + 1)]" }.joined(separator: ",") + "]")
            }
          }
          return "{" + fields.joined(separator: ",") + "}"
        }.compactMap { $0 }.joined(separator: ",")
        text += "]"
      }
      return try SummaryJSON.decode(Array((text + "}").utf8))
    }
  }

  private func lines(_ fleet: Fleet) -> [[UInt8]] {
    fleet.ordered(by: fleet.keys).map { SummaryJSON.encode($0.summary) }
  }

  @Test func anyOrderAndGrouping() throws {
    var random = SeededGenerator(named: "anyOrderAndGrouping")
    let count = min(TestRounds.value(600), 2000)
    let summaries = try Self.random(count, &random)
    var whole = Fleet(keys: ["build"])
    for summary in summaries { whole.add(summary) }
    let expected = lines(whole)
    #expect(expected.count == 3)
    for _ in 0..<20 {
      // Parts are merged by more keys, written as lines, and merged again.
      var rest = summaries.shuffled(using: &random)[...]
      var parts: [SessionSummary] = []
      while !rest.isEmpty {
        var part = Fleet(keys: random.oneIn(2) ? ["build"] : ["build", "os"])
        for summary in rest.prefix(Int.random(in: 1...count / 3, using: &random)) {
          part.add(summary)
          rest = rest.dropFirst()
        }
        parts += try part.ordered(by: part.keys).map {
          try SummaryJSON.decode(SummaryJSON.encode($0.summary))
        }
      }
      var merged = Fleet(keys: ["build"])
      for part in parts.shuffled(using: &random) { merged.add(part) }
      #expect(lines(merged) == expected, "\(TestSeed.note)")
    }
  }

  /// Sums stop at the largest number of SQL, so every implementation of the merge stops there.
  @Test func sumsStopAtTheLargestNumber() throws {
    let line = { (id: Int) in
      let lists = SummaryList.all.dropFirst(2).map { "\"\($0.name)\":[]" }.joined(separator: ",")
      return Array(
        """
        {"schema":"rltrace.summary/1","id":"\(id)","sessions":1,"keys":{},"recordings":[{"capture_level":"callouts",\
        "sessions":1}],"loops":[{"busy_ns":\(SessionSummary.most - UInt64(id))}],\(lists)}
        """.utf8)
    }
    var fleet = Fleet(keys: [])
    for id in 1...3 { fleet.add(try SummaryJSON.decode(line(id))) }
    let merged = try #require(fleet.merged(by: [])[[]])
    #expect(merged.rows(.loops).map { $0.row.number("busy_ns", of: .loops) } == [SessionSummary.most])
    #expect(try SummaryJSON.decode(SummaryJSON.encode(merged)) == merged)
  }

  @Test func aTraceCountsOnceAndLossesCountApart() throws {
    var random = SeededGenerator(named: "aTraceCountsOnceAndLossesCountApart")
    let summaries = try Self.random(200, &random)
    var (once, twice, without) = (Fleet(keys: []), Fleet(keys: []), Fleet(keys: []))
    for summary in summaries {
      once.add(summary)
      twice.add(summary)
      if !summary.isLossy { without.add(summary) }
    }
    for summary in summaries { twice.add(summary) }
    #expect(lines(once) == lines(twice))
    #expect(twice.repeated == 200)
    let (all, clean) = (once.merged(by: [])[[]], without.merged(by: [])[[]])
    for list in SummaryList.all.dropFirst() {
      for field in list.fields { #expect(all?.sum(list, field.name) == clean?.sum(list, field.name)) }
    }
    #expect(once.lossy > 0 && once.sessions == 200)
  }
}
