import Foundation
import Testing
import TraceTables

@testable import ReportWriting

/// The JSON must equal that of Foundation's encoder, except for characters that move or hide text (`SemanticTests`).
@Suite struct JSONTextTests {
  private static let value = Value.object([
    "b": .list([]), "a": .object([:]), "rows": .rows(LazyValues(3) { .integer(UInt64($0)) }),
    "none": .rows(LazyValues(0) { _ in .unknown }), "É \"\\/\u{1}\n\r\t\u{8}\u{C}": .unknown,
    "numbers": .list([
      .integer(.max), .signed(.min), .number(0.1234), .number(1), .number(-0.5), .number(1e15), .number(0),
    ]),
    "B": .list([.truth(true), .truth(false), .text("<é>"), .object(["k": .list([.text("")])])]),
  ])

  @Test func equalsFoundations() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let expected = String(decoding: try encoder.encode(Self.value), as: UTF8.self)
    #expect(JSONText.pretty(Self.value) == expected)
  }

  @Test func piecesMakeUpTheWhole() throws {
    let value = Value.rows(LazyValues(40_000) { .text("row \($0)") })
    nonisolated(unsafe) var pieces: [String] = []
    try JSONText.write(value) { pieces.append($0) }
    #expect(pieces.joined() == JSONText.pretty(value))
    #expect(pieces.count > 3 && pieces.allSatisfy { $0.utf8.count < 70_000 })
  }

  /// A row is not created before it is written.
  @Test func rowsAreMadeOneByOne() throws {
    nonisolated(unsafe) var made = 0
    let rows = Value.rows(
      LazyValues(5) {
        made += 1
        return .integer(UInt64($0))
      })
    #expect(made == 0)
    _ = JSONText.pretty(rows)
    #expect(made == 5)
  }
}
