import Foundation
import TestSupport
import Testing

@testable import TraceFleet

/// Builds are judged by session.
@Suite struct JudgingTests {
  /// A fleet of 3 systems, 4 devices and 2 builds. `sessions`: in each of the 24 cells. The busy share of the second build is
  /// multiplied by `factor` on system 18.
  private func fleet(_ sessions: Int, factor: Double, _ random: inout SeededGenerator) throws -> Fleet {
    let empty = SummaryList.all.dropFirst().map { "\"\($0.name)\":[]" }.joined(separator: ",")
    var summary = try SummaryJSON.decode(
      Array(
        """
        {"schema":"rltrace.summary/1","id":"0","sessions":1,"keys":{},\
        "recordings":[{"capture_level":"callouts","sessions":1}],\(empty)}
        """.utf8))
    let values = try #require(SummaryList.measures.place("values"))
    let sessionCount = try #require(SummaryList.measures.place("sessions"))
    var fleet = Fleet(keys: ["build", "os", "device"])
    var number = 0
    for os in ["17", "18", "19"] {
      for (place, device) in ["a", "b", "c", "d"].enumerated() {
        for build in ["1", "2"] {
          for _ in 0..<sessions {
            number += 1
            func normal() -> Double {
              let (u, v) = (
                Double.random(in: 1e-9..<1, using: &random), Double.random(in: 0..<1, using: &random)
              )
              return (-2 * log(u)).squareRoot() * cos(2 * .pi * v)
            }
            // Sessions differ: sigma 0.3 of the logarithm.
            let busy =
              100_000 * Double(place + 1) * exp(0.3 * normal()) * (build == "2" && os == "18" ? factor : 1)
            let hang = random.oneIn(10)
            let measures: [(String, UInt64)] = [
              ("busy_ppm", UInt64(busy)), ("pass_p90_ns", UInt64(5e6 * exp(0.3 * normal()))),
              ("has_hang", hang ? 1 : 0), ("hang_ns_per_hour", hang ? UInt64(1e9 * exp(normal())) : 0),
              ("skipped_ppm", random.next() % 10_000), ("lateness_p90_ns", UInt64(1e6 * exp(0.5 * normal()))),
            ]
            summary.id = "\(number)"
            summary.keys = ["build": build, "os": os, "device": device]
            for (question, value) in measures {
              var row = SummaryRow(.measures)
              row.numbers[sessionCount] = 1
              row.cells[values] = [SummaryCells.rounded(value): 1]
              summary.lists[SummaryList.measures.index][[question, ""]] = row
            }
            fleet.add(summary)
          }
        }
      }
    }
    return fleet
  }

  private func judged(_ fleet: Fleet) -> FleetJudgement {
    FleetJudgement(fleet, base: ["build": "1"], new: ["build": "2"], strata: ["os", "device"])
  }

  /// Without a difference, a discovery is rare: 1 in 20 fleets is expected.
  @Test(.optimizedBuild) func fleetsWithoutADifference() throws {
    var found = 0
    for seed in 0..<20 {
      var random = SeededGenerator(seed: UInt64(seed) * 77 + 5)
      let judgement = judged(try fleet(30, factor: 1, &random))
      if judgement.rows.contains(where: { [.worse, .better, .minor].contains($0.outcome) }) { found += 1 }
    }
    #expect(found <= 3)
  }

  @Test(.optimizedBuild) func aPlantedRegressionIsFoundWhereItIs() throws {
    for seed in 0..<5 {
      var random = SeededGenerator(seed: UInt64(seed) + 1)
      let judgement = judged(try fleet(100, factor: 1.25, &random))
      #expect(Set(judgement.regressions.map(\.question)) == [.busyShare])
      let there = judgement.regressions.filter { $0.stratum.first?.key == "os" }
      #expect(Set(there.map { $0.stratum[0].value }) == ["18"])
      #expect(there.count == 5)
      let clearest = try #require(judgement.clearest?.regression)
      #expect(clearest.stratum.map(\.value) == ["18"])
    }
  }

  /// The interval holds the planted difference in most fleets, and lies above zero where a regression was found.
  @Test(.optimizedBuild) func intervals() throws {
    var (holding, holdingOfSame) = (0, 0)
    // 20 % more on one of three systems. Means of devices a to d: 100,000 to 400,000, and exp(0.3² / 2) for the spread.
    let planted = 0.2 * 250_000 * exp(0.045) / 3
    // The smaller fleet is permuted; the larger one uses the normal approximation.
    for sessions in [50, 170] {
      for seed in 0..<10 {
        var random = SeededGenerator(seed: UInt64(seed) + 40)
        let judgement = judged(try fleet(sessions, factor: 1.2, &random))
        let busy = try #require(judgement.rows.first { $0.question == .busyShare })
        let interval = try #require(busy.test.difference)
        let found = busy.test.newMean - busy.test.baseMean
        #expect(interval.low < found && found < interval.high)
        // Nearly symmetric, because the mean of many sessions is nearly normal.
        let middle = (interval.low + interval.high) / 2
        #expect(abs(middle - found) < 0.1 * (interval.high - interval.low))
        if interval.low < planted, planted < interval.high { holding += 1 }
        let pass = try #require(judgement.rows.first { $0.question == .pass }?.test.difference)
        if pass.low < 0, pass.high > 0 { holdingOfSame += 1 }
      }
    }
    // 19 of 20 are expected.
    #expect(holding >= 17 && holdingOfSame >= 17, "\(holding), \(holdingOfSame)")
    var random = SeededGenerator(seed: 3)
    #expect(judged(try fleet(1, factor: 3, &random)).rows.allSatisfy { $0.test.difference == nil })
  }

  /// An interval contains 0 exactly if the p-value is at least 5 %.
  @Test func intervalsAgreeWithPValues() throws {
    for (seed, factor) in [(1, 1.0), (2, 1.1), (3, 1.3)] {
      var random = SeededGenerator(seed: UInt64(seed))
      for row in judged(try fleet(25, factor: factor, &random)).rows where row.test.hasVariance {
        let interval = try #require(row.test.difference)
        #expect((interval.low <= 0 && interval.high >= 0) == (row.test.pValue >= 0.05), "\(row)")
      }
    }
  }

  @Test func anImprovementIsNotARegression() throws {
    var random = SeededGenerator(seed: 3)
    let judgement = judged(try fleet(30, factor: 0.5, &random))
    #expect(judgement.regressions.isEmpty && !judgement.isUndecided)
    #expect(judgement.rows.contains { $0.outcome == .better })
  }

  @Test func tooFewSessionsAreUndecided() throws {
    var random = SeededGenerator(seed: 3)
    #expect(judged(try fleet(1, factor: 3, &random)).isUndecided)
  }

  /// A callout of one system holds the loop in more sessions of the second build: that system and callout are named. Most
  /// sessions do not have the callout at all.
  @Test func aRegressionOfOneCalloutInOneSystem() throws {
    var fleet = Fleet(keys: ["build", "os", "device"])
    for number in 0..<450 {
      let (build, os, device) = (number % 2, number / 2 % 3, number / 6 % 3)
      let isHang = number / 18 % (build == 1 && os == 1 ? 3 : 12) == 0
      let empty = ["modes", "busy", "timers", "stalls", "findings"].map { "\"\($0)\":[]" }.joined(
        separator: ",")
      let load =
        isHang
        ? ",{\"kind\":\"block\",\"name\":\"load()\",\"role\":\"main\",\"sessions\":1,\"count\":1,\"self_ns\":500000000}"
        : ""
      fleet.add(
        try SummaryJSON.decode(
          Array(
            """
            {"schema":"rltrace.summary/1","id":"\(number)","sessions":1,"keys":{"build":"\(build)","os":"\(os)",\
            "device":"\(device)"},"recordings":[{"capture_level":"callouts","sessions":1}],"loops":[{"sessions":1,\
            "time_ns":40000000000,"busy_ns":4000000000}],\(empty),"callouts":[{"kind":"timer","name":"tick()","role":\
            "main","sessions":1,"count":9,"self_ns":\(3_000_000_000 + UInt64(number * 7919 % 1000) * 100_000)}\(load)],\
            "measures":[{"question":"has_hang","subject":"","sessions":1,"values":[[\(isHang ? 1 : 0),1]]}]}
            """.utf8)))
    }
    let judgement = FleetJudgement(
      fleet, base: ["build": "0"], new: ["build": "1"], strata: ["os", "device"])
    let (first, culprit) = try #require(judgement.clearest)
    #expect(first.question == .hasHang && first.stratum.map(\.value) == ["1"])
    #expect(culprit?.subject == "load()")
    #expect(judgement.regressions.allSatisfy { $0.subject != "tick()" })
  }

  /// A different mix of devices alone does not count as a difference.
  @Test func aMixOfDevicesIsNotADifference() throws {
    var random = SeededGenerator(seed: 4)
    var mixed = Fleet(keys: ["build", "os", "device"])
    // Twice as many sessions of slow devices in the second build.
    for (_, summary) in try fleet(20, factor: 1, &random).ordered(by: ["build", "os", "device"])
    where summary.keys["build"] == "1" || "cd".contains(summary.keys["device"] ?? "") {
      mixed.add(summary)
    }
    let judgement = judged(mixed)
    #expect(judgement.regressions.isEmpty)
    let busy = try #require(judgement.rows.first { $0.question == .busyShare })
    #expect(abs(busy.test.newMean / busy.test.baseMean - 1) < 0.1)
  }
}
