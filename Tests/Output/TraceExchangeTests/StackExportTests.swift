import Foundation
import TestSupport
import Testing
import TraceAnalysis
import TraceFormat

@testable import TraceExchange

/// Sampled stacks in files for other viewers: their weights add up to table `stacks`. Times are microseconds.
@Suite struct StackExportTests {
  /// Two gaps of 400 ms, with three samples in two stacks: 180 + 220 ms, and 400 ms.
  private static let trace = SampledTrace(
    functions: ["main()", "load()", "read()", "parse();"],
    samples: """
      200000 thread.stack thread=1 reason=1 frame=4128 frame=4113 frame=4097
      230000 thread.stack thread=1 reason=1 frame=4144 frame=4113 frame=4097
      700000 thread.stack thread=1 reason=1 frame=4128 frame=4113 frame=4097
      """,
    main: """
      0 Entry.low m1 #1
      50000 AfterWaiting.low m1 #1
      450000 BeforeTimers.low m1 #1
      451000 BeforeWaiting.low m1 #1
      550000 AfterWaiting.low m1 #1
      950000 BeforeTimers.low m1 #1
      951000 BeforeWaiting.low m1 #1
      1060000 Exit.low m1 #1
      """)

  private static let read = "main();load();read()"
  private static let parse = "main();load();parse():"

  private func analysis() throws -> Analysis { try Self.trace.analysis() }

  private func export(_ format: TimelineFormat, _ text: String = StackExportTests.trace.text()) throws
    -> [UInt8]
  {
    let reader = try openTrace(assembleTrace(text))
    let sink = MemorySink()
    let exporter = TimelineExporter(format, reader: reader, name: "test", maximum: 1000, to: sink)
    var options = AnalysisOptions()
    options.sink = exporter.sink
    _ = try exporter.finish(TraceAnalyzer(reader, options: options).analyze())
    return sink.bytes
  }

  private func document(_ format: TimelineFormat) throws -> [String: Any] {
    try #require(
      JSONSerialization.jsonObject(with: Data(export(format))) as? [String: Any])
  }

  /// Returns the gap time of each stack of the table.
  private func expected() throws -> [String: UInt64] {
    var times: [String: UInt64] = [:]
    for stack in try analysis().sampledStacks {
      times[collapsed(stack.frames.reversed().map(\.name)), default: 0] += stack.durationNs
    }
    return times
  }

  private func collapsed(_ names: [String]) -> String {
    names.map { $0.replacing(";", with: ":") }.joined(separator: ";")
  }

  @Test func theStacksOfTheTable() throws {
    let times = try expected()
    #expect(Set(times.keys) == [Self.read, Self.parse])
    #expect(times.values.reduce(0, +) == 800_000_000)
  }

  @Test func oneTreeOfCalls() throws {
    let stacks = StackSamples(try analysis()) { Track(number: Int($0) + 1, name: "", kind: .other) }
    #expect(stacks.calls.count == 4 && stacks.functions.count == 4)
    #expect(stacks.samples.map(\.start) == stacks.samples.map(\.start).sorted())
    var times: [String: UInt64] = [:]
    for sample in stacks.samples {
      let names = stacks.functions(from: sample.call).map { stacks.functions[$0].name }
      times[collapsed(names), default: 0] += sample.duration
    }
    #expect(try times == expected())
    #expect(stacks.threads.map(\.samples.count) == [3])
  }

  @Test func chrome() throws {
    let file = try document(.chrome)
    let frames = try #require(file["stackFrames"] as? [String: [String: Any]])
    var times: [String: UInt64] = [:]
    for sample in try #require(file["samples"] as? [[String: Any]]) {
      var names: [String] = []
      var at = sample["sf"] as? Int
      while let id = at, let frame = frames["\(id)"] {
        names.insert(frame["name"] as? String ?? "", at: 0)
        at = frame["parent"] as? Int
      }
      times[collapsed(names), default: 0] += sample["weight"] as? UInt64 ?? 0
      #expect(sample["tid"] as? Int == 1)
    }
    #expect(try times == expected())
  }

  @Test func speedscope() throws {
    let file = try document(.speedscope)
    let shared = try #require(file["shared"] as? [String: Any])
    let frames = try #require(shared["frames"] as? [[String: Any]]).map { $0["name"] as? String ?? "" }
    let profiles = try #require(file["profiles"] as? [[String: Any]])
    #expect(profiles.map { $0["type"] as? String } == ["evented", "sampled"])
    let sampled = try #require(profiles.last)
    let samples = try #require(sampled["samples"] as? [[Int]])
    let weights = try #require(sampled["weights"] as? [UInt64])
    var times: [String: UInt64] = [:]
    for (stack, weight) in zip(samples, weights) {
      times[collapsed(stack.map { frames[$0] }), default: 0] += weight
    }
    #expect(try times == expected())
    #expect(sampled["endValue"] as? UInt64 == 800_000_000)
  }

  @Test func firefox() throws {
    let threads = try #require(try document(.firefox)["threads"] as? [[String: Any]])
    let thread = try #require(threads.first { $0["name"] as? String == "stacks of main" })
    let samples = try #require(thread["samples"] as? [String: Any])
    let rows = try #require(samples["stack"] as? [Any])
    func numbers(_ column: String) -> [Double] {
      (samples[column] as? [Any] ?? []).map { ($0 as? NSNumber)?.doubleValue ?? .nan }
    }
    let (moments, weights) = (numbers("time"), numbers("weight"))
    #expect(moments.count == 6)
    #expect(weights.reduce(0, +) == 800)
    #expect(zip(moments, moments.dropFirst()).allSatisfy { $0 < $1 })
    // The time between the gaps, and after them, has no stack.
    #expect(rows.map { $0 is NSNull } == [true, false, false, true, false, true])
    #expect(thread["stringArray"] as? [String] == ["main()", "load()", "read()", "parse();"])
    let stacks = try #require(thread["stackTable"] as? [String: Any])
    #expect(stacks["length"] as? Int == 4)
  }

  /// The counter of the last sample is the sum of all weights.
  @Test func perfetto() throws {
    let samples = PerfettoFile(try export(.perfetto)).samples
    #expect(
      samples.map(\.names)
        == [Self.read, Self.parse, Self.read].map { $0.replacing("parse():", with: "parse();") })
    #expect(samples.last?.sum == 800_000_000)
    #expect(samples.map(\.thread) == [1, 1, 1])
  }

  @Test func pprof() throws {
    let profile = PprofFile(PprofProfile(try analysis()).bytes)
    #expect(profile.texts.first == "")
    #expect(profile.types == ["samples count", "time nanoseconds"])
    var times: [String: UInt64] = [:]
    for sample in profile.samples { times[collapsed(sample.names), default: 0] += sample.values[1] }
    #expect(try times == expected())
    #expect(profile.samples.map { $0.values[0] }.reduce(0, +) == 3)
    #expect(profile.samples.allSatisfy { $0.labels["thread"] == "main" && $0.labels["reason"] == "stalled" })
  }

  /// A file without sampled stacks has none of the new parts.
  @Test(arguments: TimelineFormat.allCases.map(\.name)) func withoutSamples(name: String) throws {
    let format = try #require(TimelineFormat(name: name))
    let text = HandTrace(main: HandTrace.asleep).text()
    let file = String(decoding: try export(format, text), as: UTF8.self)
    for part in ["stackFrames", "\"sampled\"", "stacks of ", "sampled gap time"] {
      #expect(!file.contains(part))
    }
    let profile = PprofFile(PprofProfile(try HandTrace(main: HandTrace.asleep).analysis()).bytes)
    #expect(profile.samples.isEmpty && profile.texts.first == "")
  }
}
