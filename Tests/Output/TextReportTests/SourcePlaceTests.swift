import ReportWriting
import Testing
import TraceAnalysis

/// Files and lines in text: however narrow a terminal is, they are not cut.
@Suite struct SourcePlaceTests {
  @Test func aPlaceAtTheEndIsKept() {
    for limit in 18..<34 {
      let text = elided("Model.load(files:) Model.swift:41", limit: limit)
      #expect(text.hasSuffix(" Model.swift:41") && text.count <= limit, "\(text)")
    }
    #expect(elided("a name without a place: 12345", limit: 10).count == 10)
    #expect(sourcePlace("tick() main.swift:7") == "main.swift:7")
    #expect(sourcePlace("tick() main.swift:") == nil && sourcePlace("main.swift:7") == nil)
  }

  @Test(arguments: [40, 60, 80, 100])
  func tablesKeepPlaces(width: Int) {
    var table = TextTable(["function", "cause", "length"], leftColumns: 2)
    table.add(["Weather.refresh(from:) Fetcher.swift:25", "waiting for other threads", "350 ms"])
    table.add(["closure #1 in Fetcher.start() Fetcher.swift:31", "computing", "1.50 s"])
    let lines = table.lines(style: TextStyle(isColoured: false, width: width))
    #expect(lines.allSatisfy { $0.count <= width }, "\(lines)")
    #expect(lines[1].contains(" Fetcher.swift:25 ") && lines[2].contains(" Fetcher.swift:31 "), "\(lines)")
  }
}
