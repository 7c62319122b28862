import Foundation
import TestSupport
import Testing
import TraceAnalysis
import TraceFleet
import TraceFormat

/// Summaries of traces, their lines of JSON, and their sums.
@Suite struct SummaryTests {
  static func summary(_ name: String, keys: [String: String] = [:]) throws -> (
    summary: SessionSummary, analysis: Analysis
  ) {
    let reader = try openTrace(path: SampleTraces.path(name))
    let analysis = try TraceAnalyzer(reader).analyze()
    let id = String(reader.contentHash(), radix: 16)
    return (SummaryBuilder.summary(of: analysis, id: id, keys: keys, session: name), analysis)
  }

  @Test(arguments: SampleTraces.analyzable) func aLineIsReadBack(name: String) throws {
    let (summary, _) = try Self.summary(name, keys: ["build": "1.4 \"beta\"", "os": "ü"])
    let line = SummaryJSON.encode(summary)
    // The summary of the trace with the most distinct pass lengths takes 23.4 KB. Most others take less than 5 KB.
    #expect(line.count <= 24_000)
    let back = try SummaryJSON.decode(line)
    #expect(back == summary)
    #expect(SummaryJSON.encode(back) == line)
  }

  @Test(arguments: SampleTraces.analyzable) func sumsAreThoseOfTheAnalysis(name: String) throws {
    let (summary, analysis) = try Self.summary(name)
    #expect(summary.sum(.modes, "busy_ns") == analysis.modes.reduce(0) { $0 + $1.busyNs })
    #expect(summary.sum(.modes, "passes") == analysis.modes.reduce(0) { $0 + $1.passes })
    #expect(summary.sum(.callouts, "self_ns") == analysis.callouts.reduce(0) { $0 + $1.selfNs })
    #expect(summary.sum(.callouts, "count") == analysis.callouts.reduce(0) { $0 + $1.count })
    let ledgers = analysis.timers.compactMap(\.ledger)
    #expect(summary.sum(.timers, "due") == ledgers.reduce(0) { $0 + $1.due })
    #expect(summary.sum(.timers, "overdue_ns") == ledgers.reduce(0) { $0 + $1.latenessNs.sum })
    #expect(summary.sum(.loops, "hangs") == analysis.inputDelay?.hangs ?? 0)
    // Hang time is that of the hangs that findings, `gate` and `compare` judge.
    let hangs = analysis.busy.filter { $0.thread == analysis.inputDelay?.thread && $0.isHang }
    #expect(summary.sum(.loops, "hangs") == UInt64(hangs.count))
    #expect(summary.sum(.loops, "hang_ns") == hangs.reduce(0) { $0 + $1.hangLengthNs })
    #expect(summary.sum(.loops, "hang_ns") == analysis.inputDelay?.hangNs ?? 0)
    // The ledger stays exact.
    var answered: UInt64 = 0
    for field in ["fired", "skipped", "withdrawn", "pending"] { answered += summary.sum(.timers, field) }
    #expect(answered == summary.sum(.timers, "due"))
    var caused: UInt64 = 0
    for cause in Cause.allCases { caused += summary.sum(.timers, "overdue_\(cause.name)_ns") }
    #expect(caused == summary.sum(.timers, "overdue_ns"))
  }

  /// Percentiles of a merged summary are those of all values together, within the rounding of both.
  @Test func mergedPercentiles() throws {
    var merged = SessionSummary.empty([:])
    var all = Distribution()
    for name in SampleTraces.analyzable {
      let (summary, analysis) = try Self.summary(name)
      merged.merge(summary)
      if analysis.trace.lostEvents == 0, analysis.trace.clean {
        for mode in analysis.modes { all = all.merging(mode.passNs) }
      }
    }
    for (share, expected) in [(0.5, all.p50), (0.9, all.p90), (0.99, all.p99), (0.999, all.p999)] {
      let found = try #require(merged.percentile(share, .modes, "pass_ns"))
      #expect(
        abs(Double(found) - Double(expected)) <= 0.01 * Double(expected), "p\(share): \(found), \(expected)")
    }
  }

  @Test func withoutNames() throws {
    let (summary, _) = try Self.summary("real/timer-starvation.rltrace")
    let line = String(decoding: SummaryJSON.encode(summary.withoutNames), as: UTF8.self)
    for name in ["refresh", "finger", "Tracking", "touch"] { #expect(!line.contains(name), "\(name)") }
    #expect(summary.withoutNames.sum(.callouts, "self_ns") == summary.sum(.callouts, "self_ns"))
    #expect(try SummaryJSON.decode(Array(line.utf8)) == summary.withoutNames)
  }

  @Test func hashedNames() throws {
    let (summary, _) = try Self.summary("real/timer-starvation.rltrace")
    let hashed = summary.withNames { "#" + String($0.reversed()) }
    let line = String(decoding: SummaryJSON.encode(hashed), as: UTF8.self)
    for name in ["refresh", "finger", "touch"] {
      #expect(!line.contains(name) && line.contains("#"), "\(name)")
    }
    // Names of systems stay, and equal names get equal hashes in all lists.
    #expect(line.contains("\"mode\":\"UITrackingRunLoopMode\""))
    let timers = Set(hashed.rows(.timers).map { $0.identity[0] })
    let subjects = hashed.rows(.measures).filter { $0.identity[0] == "timer_skipped_ppm" }
    #expect(Set(subjects.map { $0.identity[1] }) == timers)
    // All rows and numbers are there.
    for list in SummaryList.all { #expect(hashed.rows(list).count == summary.rows(list).count) }
    for field in ["due", "skipped", "overdue_ns"] {
      #expect(hashed.sum(.timers, field) == summary.sum(.timers, field))
    }
    #expect(try SummaryJSON.decode(Array(line.utf8)) == hashed)
  }

  @Test func hostileLines() throws {
    let (summary, _) = try Self.summary("virtual/timer-starvation.rltrace")
    let line = String(decoding: SummaryJSON.encode(summary), as: UTF8.self)
    func expect(_ from: String, _ to: String, _ part: String) {
      let changed = line.replacingOccurrences(of: from, with: to)
      #expect(changed != line, "\(from)")
      #expect { try SummaryJSON.decode(Array(changed.utf8)) } throws: { error in
        "\(error)".contains(part)
      }
    }
    expect("summary/1", "summary/9", "schema")
    expect("\"sessions\":1,\"keys\"", "\"sessions\":-1,\"keys\"", "not whole")
    expect("\"sessions\":1,\"keys\"", "\"sessions\":1e999,\"keys\"", "number")
    expect("\"sessions\":1,\"keys\"", "\"sessions\":NaN,\"keys\"", "number")
    expect("\"sessions\":1,\"keys\"", "\"sessions\":2,\"keys\"", "one trace")
    expect("\"keys\":{", "\"keys\":{\"x\":\"\(String(repeating: "y", count: 5_000))\",", "longer than")
    expect("\"passes\":", "\"passes\":-", "not whole")
    expect("\"passes\":", "\"passes\":0.5,\"x\":", "number")
    expect("\"passes\":", "\"passes\":9223372036854775808,\"x\":", "passes is larger than")
    expect("\"pass_ns\":[[", "\"pass_ns\":[[1,9223372036854775808],[", "wrong pair")
    expect(
      "\"busy\":[", "\"busy\":[{\"class\":\"hang\",\"count\":1},{\"class\":\"hang\",\"count\":1},", "two rows"
    )
    expect("\"findings\":", "\"findinks\":", "findings is missing")
    expect("\"pass_ns\":[[", "\"pass_ns\":[[1,0],[", "wrong pair")
    expect("\"mode\":", "\"made\":", "modes")
    var random = SeededGenerator(named: "hostileLines")
    let bytes = Array(line.utf8)
    for _ in 0..<1_000 {
      var cut = Array(bytes.prefix(Int.random(in: 0..<bytes.count, using: &random)))
      if random.oneIn(2), !cut.isEmpty {
        cut[Int.random(in: cut.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      #expect(throws: SummaryJSON.Problem.self, "\(TestSeed.note)") { try SummaryJSON.decode(cut) }
    }
  }
}
