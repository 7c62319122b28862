import Foundation
import TestSupport
import Testing
import TraceAnalysis
import TraceExchange
import TraceFormat

/// Frames and hitches in files for other viewers.
@Suite struct FrameExportTests {
  private func export(
    _ format: TimelineFormat, isDeclared: Bool = true, sources: [String] = []
  ) throws -> [UInt8] {
    let reader = try openTrace(assembleTrace(HandTrace.frames(isDeclared: isDeclared).text()))
    let sink = MemorySink()
    let exporter = TimelineExporter(
      format, reader: reader, name: "test", frameSources: sources, maximum: 1000, to: sink)
    var options = AnalysisOptions()
    options.frameSources = sources
    options.sink = exporter.sink
    _ = try exporter.finish(TraceAnalyzer(reader, options: options).analyze())
    return sink.bytes
  }

  private func names(_ track: String, _ file: PerfettoFile) -> [String] {
    file.events.filter { file.tracks[$0.track] == track && $0.type == 1 }.map(\.name)
  }

  @Test func tracksOfASource() throws {
    let file = PerfettoFile(try export(.perfetto))
    #expect(names("frames: tick", file) == ["on time", "late", "on time"])
    #expect(names("hitches: tick", file) == ["source0 parse"])
    let times = file.events.filter { file.tracks[$0.track] == "hitches: tick" }.map(\.time)
    #expect(times.count == 2 && times[1] - times[0] == 10_000_000)
    let firefox = String(decoding: try export(.firefox), as: UTF8.self)
    #expect(firefox.contains(#""name":"frames: tick""#) && firefox.contains(#""name":"hitches: tick""#))
    #expect(!String(decoding: try export(.speedscope), as: UTF8.self).contains("on time"))
  }

  @Test func argumentsOfFramesAndHitches() throws {
    let json = try JSONSerialization.jsonObject(with: Data(try export(.chrome))) as? [String: Any]
    let events = try #require(json?["traceEvents"] as? [[String: Any]]).filter { $0["ph"] as? String == "b" }
    func arguments(_ category: String) -> [[String: Any]] {
      events.filter { $0["cat"] as? String == category }.compactMap { $0["args"] as? [String: Any] }
    }
    let presented = arguments("frame").map { $0["presented_ns"] as? Int }
    #expect(presented == [20_000_000, 40_000_000, 50_000_000])
    let hitch = try #require(arguments("hitch").first)
    #expect(hitch["blamed"] as? String == "source0 parse" && hitch["cause"] as? String == "busy")
    #expect(hitch["cause_ns"] as? Int == 13_000_000 && hitch["due_ns"] as? Int == 20_000_000)
    #expect(hitch["ready_ns"] as? Int == 34_000_000 && hitch["timer"] as? String == "tick")
  }

  /// The frames of a timer without a declaration are written if the reader names it.
  @Test func sourcesOfTheReader() throws {
    let named = PerfettoFile(try export(.perfetto, isDeclared: false, sources: ["tick"]))
    #expect(names("frames: tick", named).count == 3 && names("hitches: tick", named).count == 1)
    let other = PerfettoFile(try export(.perfetto, isDeclared: false))
    #expect(!other.tracks.values.contains { $0.hasPrefix("frames: ") || $0.hasPrefix("hitches: ") })
  }
}
