import TraceAnalysis

/// The value at one place of a document or a table.
package enum Value: Sendable, Equatable {
  case integer(UInt64)
  case signed(Int64)
  case number(Double)
  case truth(Bool)
  case text(String)
  case list([Value])
  case rows(LazyValues)
  case object([String: Value])
  /// A value that the recording does not know: null, never zero.
  case unknown

  /// Returns a share or a rate, rounded to four decimal places.
  package static func share(_ value: Double?) -> Value {
    value.map { .number($0.isFinite ? fourDigits($0) : 0) } ?? .unknown
  }
}

/// Returns a share, rounded to four decimal places; nil if `whole` is 0.
package func share(_ part: UInt64, of whole: UInt64) -> Double? {
  whole == 0 ? nil : fourDigits(Double(part) / Double(whole))
}

package func fourDigits(_ value: Double) -> Double { (value * 10_000).rounded() / 10_000 }

/// Encodes values as JSON with any encoder.
extension Value: Encodable {
  package func encode(to encoder: any Encoder) throws {
    switch self {
    case .integer(let value): try value.encode(to: encoder)
    case .signed(let value): try value.encode(to: encoder)
    case .number(let value): try value.encode(to: encoder)
    case .truth(let value): try value.encode(to: encoder)
    case .text(let value): try value.encode(to: encoder)
    case .list(let values): try values.encode(to: encoder)
    case .rows(let values): try Array(values).encode(to: encoder)
    case .object(let values): try values.encode(to: encoder)
    case .unknown:
      var container = encoder.singleValueContainer()
      try container.encodeNil()
    }
  }
}

/// A type that columns can read.
package protocol ValueConvertible: SendableMetatype {
  static var kind: ValueKind { get }
  var value: Value { get }
}

extension Value: ValueConvertible {
  package static var kind: ValueKind { .any }
  package var value: Value { self }

  /// Returns an object without the unknown fields.
  package static func known(_ fields: [String: any ValueConvertible]) -> Value {
    .object(fields.mapValues(\.value).filter { if case .unknown = $0.value { false } else { true } })
  }
}
extension UInt64: ValueConvertible {
  package static var kind: ValueKind { .integer }
  package var value: Value { .integer(self) }
}
extension UInt32: ValueConvertible {
  package static var kind: ValueKind { .integer }
  package var value: Value { .integer(UInt64(self)) }
}
extension Int64: ValueConvertible {
  package static var kind: ValueKind { .signed }
  package var value: Value { .signed(self) }
}
/// Int holds counts, so it is never negative.
extension Int: ValueConvertible {
  package static var kind: ValueKind { .integer }
  package var value: Value { .integer(UInt64(clamping: self)) }
}
extension Double: ValueConvertible {
  package static var kind: ValueKind { .number }
  package var value: Value { .number(self) }
}
extension String: ValueConvertible {
  package static var kind: ValueKind { .text }
  package var value: Value { .text(self) }
}
extension Bool: ValueConvertible {
  package static var kind: ValueKind { .truth }
  package var value: Value { .truth(self) }
}
extension Optional: ValueConvertible where Wrapped: ValueConvertible {
  package static var kind: ValueKind { .nullable(Wrapped.kind) }
  package var value: Value { self?.value ?? .unknown }
}
extension Array: ValueConvertible where Element: ValueConvertible {
  package static var kind: ValueKind { .list(Element.kind) }
  package var value: Value { .list(map(\.value)) }
}
