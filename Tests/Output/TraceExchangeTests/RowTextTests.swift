import TestSupport
import Testing
import TraceAnalysis
import TraceFacts
import TraceFormat
import TraceTables

@testable import TraceExchange

/// Rows that are written cell by cell, compared with the values of the table's columns.
@Suite struct RowTextTests {
  @Test(arguments: SampleTraces.analyzable) func rowsHaveTheCellsOfTheColumns(name: String) throws {
    let reader = try openTrace(try ProjectFiles.bytes("SampleTraces/\(name)"))
    let collector = FactCollector(wantsBegins: false)
    var options = AnalysisOptions()
    options.sink = collector
    _ = try TraceAnalyzer(reader, options: options).analyze()
    let context = RecordContext(reader)
    for format in [ExportFormat.csv, .jsonLines] {
      for table in ExportTable.allCases {
        let names = table.columns.map(\.name)
        var text = RowText(format.form(names))
        var expected: [UInt8] = []
        for fact in collector.facts {
          switch (table.source, fact) {
          case (.passes(let cells), .pass(let pass)):
            text.add(Recorded(pass, context))
            format.row(cells(Recorded(pass, context)), names, &expected)
          case (.points(let cells), .points(let points)):
            text.add(Recorded(points, context))
            format.row(cells(Recorded(points, context)), names, &expected)
          default: continue
          }
        }
        #expect(text.bytes == expected, "\(format.name), \(table.name)")
      }
    }
  }

  @Test func digits() {
    let powers = (0..<20).map { (0..<$0).reduce(UInt64(1)) { power, _ in power * 10 } }
    var random = SeededGenerator(named: "digits")
    let others = powers.flatMap { power in (0..<50).map { _ in UInt64.random(in: 0...power, using: &random) }
    }
    let numbers = powers + powers.map { $0 - 1 } + powers.map { $0 + 1 } + others + [UInt64.max - 1, .max]
    for number in numbers {
      var bytes: [UInt8] = [0x2C]
      bytes.appendDecimal(number)
      #expect(String(decoding: bytes, as: UTF8.self) == ",\(number)")
      var row = RowText(ExportFormat.csv.form(["a", "b"]))
      row.add(number)
      row.add(number)
      row.endRow()
      #expect(String(decoding: row.bytes, as: UTF8.self) == "\(number),\(number)\r\n")
    }
  }
}
