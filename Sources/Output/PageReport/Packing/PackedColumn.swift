import Foundation
import TraceFormat

/// A column of numbers as text: base64 of variable-length integers with seven bits in a byte, the low ones first. A
/// zero is followed by the number of further zeros.
struct PackedColumn: Codable {
  private var bytes: [UInt8] = []
  private var zeros: UInt64 = 0

  init() {}

  init(_ values: some Sequence<UInt64>) {
    for value in values { append(value) }
  }

  /// Packs ascending numbers as the differences between them.
  init(growing values: some Sequence<UInt64>) {
    var last: UInt64 = 0
    for value in values {
      append(value &- last)
      last = value
    }
  }

  mutating func append(_ value: UInt64) {
    if value == 0 {
      zeros += 1
      return
    }
    endZeros()
    bytes.appendVarint(value)
  }

  var isAllZero: Bool { bytes.isEmpty }

  private mutating func endZeros() {
    guard zeros > 0 else { return }
    bytes.appendVarint(0)
    bytes.appendVarint(zeros - 1)
    zeros = 0
  }

  var text: String {
    var whole = self
    whole.endZeros()
    return Data(whole.bytes).base64EncodedString()
  }

  func encode(to encoder: any Encoder) throws { try text.encode(to: encoder) }

  init(from decoder: any Decoder) throws {
    bytes = [UInt8](Data(base64Encoded: try String(from: decoder)) ?? Data())
  }
}
