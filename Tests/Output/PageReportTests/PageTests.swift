import Foundation
import TestSupport
import Testing
import TraceAnalysis
import TraceFormat
import TraceReplay

@testable import PageReport

@Suite struct PageTests {
  private func page(_ bytes: [UInt8], file: String = "a.rltrace") throws -> String {
    let reader = try openTrace(bytes)
    var options = AnalysisOptions()
    let timeline = TimelineBuilder(reader)
    options.sink = timeline
    let analysis = try TraceAnalyzer(reader, options: options).analyze()
    return try HTMLReport(reader, file: file).render(analysis, timeline: timeline)
  }

  /// The tone of the heading, and its first words.
  @Test(arguments: [
    ("detect-poll-loop", "bad", "The loop of thread main hung for 4.00 s"),
    ("location-uncached", "warn", "Source0 "), ("background-task-cycle", "warn", "Background task "),
    ("starvation-common", "good", "Nothing wrong was found"),
    ("detect-idle", "good", "Nothing wrong was found"),
  ])
  func theHeadingIsTheTopFinding(sample: String, tone: String, words: String) throws {
    let page = try page(SampleTraces.bytes(virtual: sample))
    let verdict = try #require(page.range(of: "<div class=\"verdict "))
    let part = page[verdict.lowerBound...].prefix(600)
    #expect(part.contains("<div class=\"verdict \(tone)\">"), "\(part)")
    #expect(part.contains("<bdi>\(words)"), "\(part)")
  }

  /// A timer of the finding was overdue longest during a suspension, but starved while the finger was down: from 4 to
  /// 7 s, and from 11 to 13 s.
  @Test func aFindingLeadsToWhereItsOwnCauseWas() throws {
    let page = try page(SampleTraces.bytes(virtual: "stuttering-app"))
    let cards = page.components(separatedBy: "<li class=\"finding ")
    let starvation = try #require(cards.first { $0.contains("RL001") })
    let links = starvation.matches(of: ##/href="#s=(\d+)-(\d+)"/##).compactMap {
      UInt64($0.1).map { $0 / 1_000_000 }
    }
    #expect(links.count == 5, "\(links)")
    #expect(links.allSatisfy { (4000..<7000).contains($0) || (11000..<13000).contains($0) }, "\(links)")
    let suspension = try #require(cards.first { $0.contains("RL021") })
    #expect(suspension.contains("href=\"#s=26000000000-46000000000\""))
  }

  static let hostile = [
    "<script>alert(1)</script>", "</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>",
    "\" onmouseover=\"alert(1)", "<\u{301}b>", "{{style}}{{{script}}}", "a\u{202E}b\u{2066}",
    "a\u{0}\u{1B}[31mb",
    "<!--", "]]>", "=cmd()", String(repeating: "long <b> ", count: 1200),
  ]

  @Test func namesAreNeverMarkup() throws {
    let page = try page(HostileNames.trace(Self.hostile), file: "<b>\u{202E}.rltrace")
    #expect(page.components(separatedBy: "<script").count == 3)
    #expect(page.components(separatedBy: "</script").count == 3)
    for text in ["<img", "<!--", "<b>\u{FFFD}", "onmouseover=\"", "<\u{301}b"] {
      #expect(!page.unicodeScalars.contains(text.unicodeScalars), "\(text)")
    }
    for scalar in page.unicodeScalars {
      let category = scalar.properties.generalCategory
      #expect(scalar == "\n" || (category != .control && category != .format), "\(scalar.value)")
    }
  }

  @Test func theIslandIsJSONAndHasTheWholeNames() throws {
    let page = try page(HostileNames.trace(Self.hostile))
    let start = try #require(page.range(of: "id=\"data\">"))
    let end = try #require(page.range(of: "</script>", range: start.upperBound..<page.endIndex))
    let data = try #require(
      try JSONSerialization.jsonObject(with: Data(page[start.upperBound..<end.lowerBound].utf8))
        as? [String: Any])
    let timeline = try #require(data["timeline"] as? [String: Any])
    let names = try #require(timeline["names"] as? [String])
    #expect(names.contains { $0.utf8.count == AnalysisLimits.nameBytes && $0.contains("(10800 bytes, ") })
    #expect(names.contains("<script>alert(1)</script>"))
  }

  @Test func onlyItsOwnScriptMayRun() throws {
    let page = try page(HostileNames.trace(["a"]))
    let policy = try #require(page.firstMatch(of: #/Content-Security-Policy" content="([^"]*)"/#)).1
    #expect(policy.hasPrefix("default-src 'none'; script-src 'sha256-"))
    #expect(!policy.contains("unsafe"))
    #expect(page.firstMatch(of: #/ style="/#) == nil)
    #expect(page.firstMatch(of: #/ on[a-z]+="/#) == nil)
    #expect(page.firstMatch(of: ##/(src|href)="(?!#)/##) == nil)
  }

  @Test func theSameTraceGivesTheSamePage() throws {
    let trace = try HostileNames.trace(["a", "b"])
    #expect(try page(trace) == page(trace))
  }

  @Test func aTraceOfNothingHasAPage() throws {
    let trace = try assembleTrace(
      """
      rltrace-text 1
      header minor=0 unit=1us codec=none capture=callouts clock=virtual high=no
      strings
      threads
        0 os=1 main=yes "main"
      modes
      events thread=0
      end
      """)
    #expect(try page(trace).contains("<bdi>Undecided: "))
  }

  @Test func manyLongNamesStayWithinALimit() throws {
    let names = (0..<1_000).map { "\($0)" + String(repeating: "x", count: 500) }
    let page = try page(HostileNames.trace(names))
    #expect(page.utf8.count < 3_000_000)
    #expect(page.contains("the report holds no more names of this length"))
  }
}

extension String.UnicodeScalarView {
  fileprivate func contains(_ other: String.UnicodeScalarView) -> Bool {
    let all = Array(self)
    let wanted = Array(other)
    guard wanted.count <= all.count else { return false }
    return (0...(all.count - wanted.count)).contains {
      all[$0] == wanted[0] && Array(all[$0..<$0 + wanted.count]) == wanted
    }
  }
}
