import TestSupport
import Testing
import TraceAnalysis
import TraceFleet
import TraceFormat

/// States of the program in summaries. Times of the traces are microseconds.
@Suite struct StateSummaryTests {
  /// A hang of 300 ms while "read" is "draw", then "parse" for 200 ms.
  private static let trace = HandTrace(
    main: "0 state name=7 value=6\n" + HandTrace.held(at: 100_000, for: 300_000)
      + "600000 state name=7 value=4\n800000 mark name=9")

  private func summary(by state: String?) throws -> SessionSummary {
    var options = AnalysisOptions()
    options.splitState = state
    return SummaryBuilder.summary(
      of: try Self.trace.analysis(options), id: "one", keys: [:], session: "session")
  }

  @Test func valuesHaveRows() throws {
    let summary = try summary(by: "read")
    let rows = summary.rows(.states)
    #expect(rows.map(\.identity) == [["read", "draw"], ["read", "parse"]])
    let draw = rows[0].row
    #expect(draw.number("sessions", of: .states) == 1 && draw.number("time_ns", of: .states) == 600_000_000)
    #expect(draw.number("hangs", of: .states) == 1 && draw.longestIn == "session")
    let hang = draw.number("hang_ns", of: .states)
    #expect(hang == summary.sum(.loops, "hang_ns") && hang >= 300_000_000)
    #expect(draw.number("longest_hang_ns", of: .states) == hang)
    #expect(rows[1].row.number("hangs", of: .states) == 0)
    let judged = summary.rows(.measures).map(\.identity).filter { $0[0] == "state_hang_ns_per_hour" }
    #expect(Set(judged.map { $0[1] }) == ["read=draw", "read=parse"])
    #expect(try SummaryJSON.decode(SummaryJSON.encode(summary)) == summary)
  }

  /// Lines of summaries without a state, and of traces without that state, are those of earlier versions.
  @Test func summariesWithoutTheState() throws {
    for state in [nil, "write"] {
      let summary = try summary(by: state)
      #expect(!String(decoding: SummaryJSON.encode(summary), as: UTF8.self).contains("\"states\""))
    }
  }

  @Test func statesAddUp() throws {
    let one = try summary(by: "read")
    var both = one
    both.merge(one)
    let draw = try #require(both.rows(.states).first { $0.identity == ["read", "draw"] }?.row)
    #expect(draw.number("sessions", of: .states) == 2 && draw.number("hangs", of: .states) == 2)
    #expect(draw.number("hang_ns", of: .states) == 2 * one.sum(.states, "hang_ns"))
  }

  @Test func namesOfStatesArePrivate() throws {
    let summary = try summary(by: "read")
    let hashed = summary.withNames { "#" + String($0.reversed()) }
    #expect(hashed.rows(.states).map(\.identity) == [["#daer", "#ward"], ["#daer", "#esrap"]])
    let without = summary.withoutNames
    #expect(without.rows(.states).map(\.identity) == [["", ""]])
    #expect(without.sum(.states, "hang_ns") == summary.sum(.states, "hang_ns"))
    #expect(!String(decoding: SummaryJSON.encode(without), as: UTF8.self).contains("parse"))
  }
}
