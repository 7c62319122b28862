import Foundation
import TestSupport
import Testing
import TraceAnalysis
import TraceFormat

@testable import PageReport

/// The data of the page's flame graph: sampled stacks.
@Suite struct StallStacksTests {
  private static let ms = 1000  // in the text's time unit

  /// Returns gaps of 400 ms, one for each element, with the stacks that were sampled in it, innermost first. An
  /// address is the number of its function.
  private func trace(_ stalls: [[[Int]]], names: [String] = []) throws -> [UInt8] {
    var main = ["  0 Entry.low m1 #1"]
    var samples = ["  0 imageMap path=2 base=4096 size=65536 build_id=3"]
    for number in names.indices {
      samples.append(
        "  0 frameName address=\(4096 + 16 * number) depth=0 function=\(number + 4) file=\(number + 4) line=7"
      )
    }
    for (number, stacks) in stalls.enumerated() {
      let begin = (500 * number + 50) * Self.ms
      main.append("  \(begin) AfterWaiting.low m1 #1")
      main.append("  \(begin + 400 * Self.ms) BeforeTimers.low m1 #1")
      main.append("  \(begin + 401 * Self.ms) BeforeWaiting.low m1 #1")
      for (place, stack) in stacks.enumerated() {
        let frames = stack.enumerated().map { "frame=\(4096 + 16 * $1 + ($0 > 0 ? 1 : 0))" }
        samples.append(
          "  \(begin + (150 + 30 * place) * Self.ms) thread.stack thread=1 reason=1 \(frames.joined(separator: " "))"
        )
      }
    }
    main.append("  \(500 * stalls.count * Self.ms + 60 * Self.ms) Exit.low m1 #1")
    let strings = (["loop", "/opt/app/app", ""] + names).enumerated().map {
      "  \($0 + 1) \(HostileNames.quoted($1))"
    }
    let text =
      [
        "rltrace-text 1", "header minor=2 unit=1us codec=none capture=callouts clock=virtual high=no",
        "strings",
      ] + strings
      + [
        "threads", "  0 os=1 main=yes \"main\"", "  1 os=2 main=no \"\"", "modes", "  1 \"mode\"", "info",
        "  \"recorder_thread\" \"1\"", "events thread=1",
      ] + samples + ["events thread=0"] + main + ["end"]
    return try assembleTrace(text.joined(separator: "\n"))
  }

  private func page(_ bytes: [UInt8]) throws -> String {
    let reader = try openTrace(bytes)
    var options = AnalysisOptions()
    let timeline = TimelineBuilder(reader)
    options.sink = timeline
    let analysis = try TraceAnalyzer(reader, options: options).analyze()
    return try HTMLReport(reader, file: "a.rltrace").render(analysis, timeline: timeline)
  }

  private func stalls(_ page: String) throws -> [String: Any]? {
    let start = try #require(page.range(of: "id=\"data\">"))
    let end = try #require(page.range(of: "</script>", range: start.upperBound..<page.endIndex))
    let data = try JSONSerialization.jsonObject(with: Data(page[start.upperBound..<end.lowerBound].utf8))
    return try #require(data as? [String: Any])["stalls"] as? [String: Any]
  }

  @Test func aPageWithoutStallsHasNoStallData() throws {
    let page = try page(HostileNames.trace(["a"]))
    #expect(try stalls(page) == nil)
    #expect(!page.contains("id=\"flame\"") && !page.contains("stalls-section"))
  }

  @Test func sharedFramesAreThereOnce() throws {
    let page = try page(
      trace([[[2, 1, 0], [3, 1, 0]], [[2, 1, 0]]], names: ["main()", "load()", "read()", "parse()"]))
    let stalls = try #require(try stalls(page))
    let rows = try #require(stalls["rows"] as? [[String: Any]])
    #expect(rows.count == 2 && stalls["omitted"] as? Int == 0)
    #expect(rows[0]["length"] as? Int == 400_000_000)
    // 180 ms until the second sample; the only sample of the second stall counts for all of it.
    #expect(rows[0]["blamedNs"] as? Int == 220_000_000 || rows[0]["blamedNs"] as? Int == 180_000_000)
    #expect(rows[1]["blamedNs"] as? Int == 400_000_000 && rows[1]["confidence"] as? String == "low")
    // main, load, read, parse: each is a function, a frame and a place in the tree.
    let tree = try #require(stalls["tree"] as? [String: String])
    #expect(tree["parent"] == PackedColumn([0, 1, 2, 2]).text)
    #expect(page.contains("<bdi>read() read()"))
  }

  @Test func namesAreNeverMarkup() throws {
    let names = PageTests.hostile
    let page = try page(trace([[Array(names.indices)]], names: names))
    #expect(page.components(separatedBy: "<script").count == 3)
    #expect(page.components(separatedBy: "</script").count == 3)
    #expect(!page.contains("<img") && !page.contains("<!--") && !page.contains("onmouseover=\""))
    #expect(!page.unicodeScalars.contains("\u{202E}"))
    #expect(try stalls(page) != nil)
  }

  /// The longest stalls stay. The omitted ones are counted, and the page shows their number.
  @Test func manyStacksStayWithinALimit() throws {
    let stalls = (0..<60).map { stall in
      (0..<5).map { sample in (0..<60).map { 1000 + 60 * (5 * stall + sample) + $0 } }
    }
    let page = try page(trace(stalls))
    let kept = try #require(try self.stalls(page))
    let omitted = try #require(kept["omitted"] as? Int)
    #expect(omitted > 0 && omitted + (kept["rows"] as? [Any] ?? []).count == 60)
    #expect(page.utf8.count < 1_000_000)
  }
}
