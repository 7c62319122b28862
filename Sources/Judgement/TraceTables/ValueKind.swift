/// The kinds of values of a column, as in JSON Schema.
package indirect enum ValueKind: Sendable {
  /// An integer that is not negative.
  case integer
  case signed
  case number
  case truth
  case text
  case any
  case nullable(ValueKind)
  case list(ValueKind)
  /// Values keyed by name: by mode, monitor or figure.
  case byName(ValueKind)
  /// An object of a table. The schema is created on demand, not at each start.
  case object(@Sendable () -> Value)

  var schema: Value {
    switch self {
    case .integer: .object(["type": .text("integer"), "minimum": .integer(0)])
    case .signed: .object(["type": .text("integer")])
    case .number: .object(["type": .text("number")])
    case .truth: .object(["type": .text("boolean")])
    case .text: .object(["type": .text("string")])
    case .any: .object([:])
    case .nullable(let kind): .object(["anyOf": .list([kind.schema, .object(["type": .text("null")])])])
    case .list(let kind): .object(["type": .text("array"), "items": kind.schema])
    case .byName(let kind): .object(["type": .text("object"), "additionalProperties": kind.schema])
    case .object(let schema): schema()
    }
  }

  /// The type of a column in SQL; empty for a column whose cells have several types.
  var sqlType: String {
    switch self {
    case .integer, .signed, .truth: "INTEGER"
    case .number: "REAL"
    case .nullable(let kind): kind.sqlType
    case .text, .list, .byName, .object: "TEXT"
    case .any: ""
    }
  }

  var isNullable: Bool {
    switch self {
    case .nullable, .any: true
    default: false
    }
  }

  var isOfWords: Bool {
    switch self {
    case .text, .truth: true
    case .nullable(let kind), .list(let kind): kind.isOfWords
    default: false
    }
  }

  /// The kind for a value that a row may lack.
  var optional: ValueKind { isNullable ? self : .nullable(self) }
}
