import Foundation
import FuzzTargets
import PageReport
import TestSupport
import Testing
import TextReport
import TraceAnalysis
import TraceFormat
import TraceValidation

/// Changes each byte of each small sample, and cuts the sample at each length. The trace must be refused, reported as
/// damaged, or give the same results as the whole sample. This test tries some of the changes and cuts.
/// `tools/soak --flips` tries all of them with every output, and prints the longest time and the peak memory.
@Suite struct FlipTests {
  private static let isWhole = ProcessInfo.processInfo.environment["RLTRACE_TEST_FLIPS"] == "all"
  private static let samples = SampleTraces.all.filter {
    ((try? ProjectFiles.bytes("SampleTraces/\($0)").count) ?? .max) < 4_500
  }

  /// All results for a trace in which the reader finds no damage.
  private struct Results: Equatable {
    var json: String
    var page: String
  }

  private enum Outcome: Equatable {
    /// The reader threw an error, or the results contain one.
    case refused, reported
    case read(Results)
  }

  private static func read(_ bytes: [UInt8], makesPage: Bool) throws -> Outcome {
    do {
      let reader = try openTrace(bytes)
      let timeline = TimelineBuilder(reader)
      var options = AnalysisOptions()
      if makesPage { options.sink = timeline }
      let analysis = try TraceAnalyzer(reader, options: options).analyze()
      let isReported = reader.problem != nil || analysis.damage != nil
      let json = try AnalysisJSON.encode([("x", analysis)])
      // With `isWhole`, another check renders the reported traces.
      let needsPage = makesPage && !(isWhole && isReported)
      let page = needsPage ? try HTMLReport(reader, file: "x").render(analysis, timeline: timeline) : ""
      let validation = try Validation(openTrace(bytes), limit: 5)
      #expect(isReported == ((validation.fault ?? .illegal) > .illegal), "validate disagrees")
      return isReported ? .reported : .read(Results(json: json, page: page))
    } catch is TraceFormatError {
      return .refused
    }
  }

  /// The peak memory of this process with all its tests, according to the kernel.
  private static func peakMemory() -> Substring {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    return status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? "unknown"
  }

  @Test(.optimizedBuild, arguments: samples) func everyByteAndEveryLength(sample: String) throws {
    let whole = try ProjectFiles.bytes("SampleTraces/\(sample)")
    var random = SeededGenerator(named: "flips of \(sample)")
    let reference = try Self.read(whole, makesPage: true)
    var counts = (refused: 0, reported: 0, same: 0)
    var slowest = Duration.zero
    func take(_ bytes: [UInt8], _ what: String) throws {
      let start = ContinuousClock.now
      let outcome = try Self.read(bytes, makesPage: true)
      if Self.isWhole, outcome != .refused {
        let complaints = FuzzTarget.outputComplaints(bytes)
        #expect(complaints.isEmpty, "\(sample): \(what): \(complaints)")
      }
      slowest = max(slowest, start.duration(to: .now))
      switch outcome {
      case .refused: counts.refused += 1
      case .reported: counts.reported += 1
      case .read:
        counts.same += 1
        #expect(
          outcome == reference,
          "\(sample): \(what) changes the results, and nothing is reported, \(TestSeed.note)")
      }
    }
    let step = Self.isWhole ? 1 : 151
    for at in stride(from: Self.isWhole ? 0 : Int(random.next() % 151), to: whole.count, by: step) {
      var bytes = whole
      bytes[at] ^= UInt8(1 + random.next() % 255)
      try take(bytes, "a change of byte \(at)")
      try take(Array(whole[..<at]), "a cut at \(at)")
      if Self.isWhole, at % 500 == 499 { print("flips: \(sample): \(at + 1) of \(whole.count) bytes") }
    }
    if Self.isWhole {
      print(
        "flips: \(sample): \(counts.refused) refused, \(counts.reported) reported, \(counts.same) the same; slowest "
          + "\(slowest); the process at most: \(Self.peakMemory())")
    }
  }
}
